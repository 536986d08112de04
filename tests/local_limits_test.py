"""discreet local: how much memory it takes, and options that have no place where they stand."""
import json
import os
import subprocess
import unittest

from local_case import InFolder, feed, protocols
from support import DISCREET


class Memory(InFolder):
    def peak(self, arguments, path):
        """Kilobytes at most, of a command that reads a file."""
        with open(path, "rb") as data, open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([DISCREET, "local", *arguments], stdin=data, stdout=nowhere)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def test_reports_are_written_before_all_of_them_are_made(self):
        values = self.file("values", "3\n" * 200_000)  # their reports are 400 MB
        self.assertLess(self.peak(["perturb", "optimised-unary", "--epsilon", "1", "--domain", "2000"], values), 300_000)

    def test_one_value_takes_one_report(self):
        value = self.file("values", "3\n")  # a report is 1 MB
        self.assertLess(self.peak(["perturb", "subset", "--epsilon", "1", "--domain", "1000000"], value), 150_000)

    def test_counters_that_no_machine_holds(self):
        done = feed(["estimate", "flat", "--epsilon", "1", "--domain", "1000000000"], b"1\n")
        self.refused(done, "--domain", "8,000 MB", "268,435,456")


class Options(InFolder):
    """An option that would be ignored is refused, with what it belongs to."""

    def test_of_one_protocol(self):
        for option, value, owner in [("--heads", "1/2", "coins"), ("--blocks", "2", "hadamard"), ("--range", "2", "local-hashing")]:
            done = feed(["describe", "flat", "--epsilon", "1", "--domain", "4", option, value], b"")
            self.refused(done, option, f"the protocol {owner}")
        done = feed(["describe", "duchi", "--epsilon", "1", "--values", self.file("names", "a\nb\n")], b"")
        self.refused(done, "--values", "about numbers")
        self.assertEqual(feed(["describe", "duchi", "--epsilon", "1", "--domain", "10"], b"").returncode, 0)

    def test_of_rounds(self):
        flat = ["estimate", "flat", "--epsilon", "1", "--domain", "4", "--counts", "1,2,3,4"]
        for option, value in [("--tolerance", "0.1"), ("--rounds", "7"), ("--start", "0.25,0.25,0.25,0.25")]:
            self.refused(feed([*flat, option, value], b""), option, "the method inversion", "ibu or mle")
            self.assertEqual(feed([*flat, option, value, "--method", "ibu"], b"").returncode, 0)
        self.refused(feed([*flat, "--no-smoothing"], b""), "--no-smoothing", "square-wave")

    def test_values_that_cannot_be_names(self):
        for names, found in [(b"\xff\xfe\nb\n", "line 1: found bytes that are no UTF-8"), (b"", "found nothing"), (b"a\n", "found one value")]:
            done = feed(["estimate", "flat", "--epsilon", "1", "--values", self.file("names", names), "--counts", "1,2", "--json"], b"")
            self.refused(done, "--values", found)

    def test_a_file_of_reports_counts_once(self):
        reports = self.file("reports", "1\n2\n")
        done = feed(["estimate", "flat", "--epsilon", "1", "--domain", "4", "-i", reports, "-i", reports], b"")
        self.refused(done, "twice")


    def test_counts_that_so_many_reports_do_not_give(self):
        subset = ["estimate", "subset", "--epsilon", "1", "--domain", "4", "--users", "100", "--counts"]
        self.assertEqual(feed([*subset, "40,30,20,10"], b"").returncode, 0)
        for counts in ["100,100,100,100", "40,30,20,9"]:
            self.refused(feed([*subset, counts], b""), "--counts", "100 reports of subset")

    def test_one_limit_of_epsilon(self):
        for arguments in [["describe", "flat", "--domain", "4"], ["choose", "--domain", "4"], ["simulate", "--users", "10", "--domain", "4"],
                          ["records", "estimate", "flat", "--domains", "2,3"], ["hitters", "estimate"]]:
            for epsilon in ["501", "2000000"]:
                self.refused(feed([*arguments, "--epsilon", epsilon], b""), "--epsilon", "at most 500")

    def test_blocks_and_range_where_choose_recommends_them(self):
        simulate = ["simulate", "--users", "1000", "--domain", "16", "--epsilon", "4", "--json"]
        both = json.loads(feed([*simulate, "--protocols", "hadamard,local-hashing", "--blocks", "4", "--range", "7"], b"").stdout)
        self.assertEqual([each["name"] for each in both["protocols"]], ["hadamard", "local-hashing"])
        # of 4 blocks of 8 outputs and of 32 outputs in one block
        one = json.loads(feed([*simulate, "--protocols", "hadamard"], b"").stdout)
        self.assertLess(both["protocols"][0]["predicted_mse"], 0.5 * one["protocols"][0]["predicted_mse"])
        self.refused(feed([*simulate, "--protocols", "flat", "--blocks", "4"], b""), "--blocks", "hadamard")
        records = ["records", "perturb", "hadamard", "--epsilon", "4", "--domains", "16,16", "--blocks", "4"]
        self.assertEqual(feed(records, b"3,4\n").returncode, 0)
        self.refused(feed(["records", "perturb", "flat", "--epsilon", "4", "--domains", "16,16", "--range", "4"], b"3,4\n"), "--range", "local-hashing")

    def test_what_all_protocols_leave_out_is_named(self):
        done = feed(["simulate", "--users", "1000", "--domain", "8", "--epsilon", "1", "--json"], b"")
        told = json.loads(done.stdout)
        tried = [each["name"] for each in told["protocols"] + told["left_out"]]
        self.assertEqual(sorted(tried), sorted(each["name"] for each in protocols()))


class Numbers(unittest.TestCase):
    def test_that_no_double_holds_are_reported(self):
        for number, place in [("1e-400", "0"), ("-1e-400", "0"), ("1e400", "1"), ("-1e400", "-1"), ("0." + "0" * 400 + "1", "0"), ("1" + "0" * 400, "1")]:
            lines = f"{number}\n".encode() * 4000
            done = feed(["perturb", "piecewise", "--epsilon", "50", "--lower", "-1", "--upper", "1"], lines)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = feed(["estimate", "piecewise", "--epsilon", "50", "--lower", "-1", "--upper", "1", "--json"], done.stdout)
            self.assertAlmostEqual(json.loads(found.stdout)["mean"], float(place), places=2, msg=number)
        for text in [b"1e\n", b"inf\n", b"nan\n", b"1e400x\n", b"--1e400\n"]:
            self.assertEqual(feed(["perturb", "piecewise", "--epsilon", "1"], text).returncode, 2, text)

    def test_that_count_are_whole(self):
        for arguments, names in [(["local-hashing", "--domain", "4"], ["g"]), (["hadamard", "--domain", "4"], ["outputs", "blocks"]), (["subset", "--domain", "4"], ["subset"])]:
            told = json.loads(feed(["describe", *arguments, "--epsilon", "1", "--json"], b"").stdout)
            for name in names:
                self.assertIsInstance(told[name], int, name)

    def test_the_gap_is_never_below_nothing(self):
        geometric = ["channel", "--channel", "truncated-geometric(size=3, epsilon=ln(2))"]
        for arguments in [[*geometric, "--counts", "56,47,7"], ["flat", "--epsilon", "1", "--domain", "4", "--counts", "25,25,25,25"]]:
            for method in ["ibu", "mle"]:
                done = feed(["estimate", *arguments, "--method", method, "--json"], b"")
                self.assertGreaterEqual(json.loads(done.stdout)["gap"], 0)  # a rounding below it, at the first of them


class LogLikelihood(unittest.TestCase):
    def test_of_hadamard_is_the_logarithm_of_a_probability(self):
        counts = ",".join(map(str, range(1, 9)))
        done = feed(["estimate", "hadamard", "--epsilon", "1", "--domain", "4", "--counts", counts, "--method", "mle", "--json"], b"")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(json.loads(done.stdout)["log_likelihood"], -50)


if __name__ == "__main__":
    unittest.main()
