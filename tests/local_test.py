"""discreet local: what clients write, what collectors read, and what they refuse."""
import json
import math
import os
import pathlib
import signal
import subprocess
import time
import unittest

from local_case import FLAT, InFolder, estimated, feed, in_order, perturbed, protocols
from support import DISCREET, answer, discreet


class WhatIsShown(InFolder):
    """Tables, and what they say about what is in them."""

    MANY = ["optimised-unary", "--epsilon", "2", "--domain", "200"]

    def shown(self, arguments, data):
        done = feed(["estimate", *arguments], data)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def rows(self, text):
        return text.split("\n\n")[0].splitlines()[2:]

    def test_a_cut_table_says_what_is_surely_more_than_noise(self):
        reports = perturbed(self.MANY, [0] * 1000 + [v % 20 for v in range(2000)])
        text = self.shown(self.MANY, reports)
        self.assertIn("The greatest 50 of 200 values; 150 are left out (--all shows them).", text)
        self.assertIn("may be nobody's: what nobody has gets there in at most 1 of 100 collections.", text)
        got = estimated(self.MANY, reports)
        self.assertNotIn("warnings", got)
        sure = [v for v, estimate in enumerate(got["distribution"]) if estimate >= got["threshold"]]
        self.assertIn(0, sure)
        self.assertFalse([v for v in sure if v >= 20])
        picture = str(self.folder / "many.svg")
        self.shown([*self.MANY, "--plot", picture], reports)
        self.assertIn("the greatest 50 of 200 values", pathlib.Path(picture).read_text())

    def test_top_and_all(self):
        reports = perturbed(self.MANY, [v % 20 for v in range(2000)])
        self.assertEqual(len(self.rows(self.shown([*self.MANY, "--top", "7"], reports))), 7)
        every = self.shown([*self.MANY, "--all"], reports)
        self.assertEqual([int(row.split()[0]) for row in self.rows(every)], list(range(200)))
        self.assertNotIn("left out", every)
        self.refused(feed(["estimate", *self.MANY, "--all", "--top", "3"], reports), "--top with --all")
        self.refused(feed(["estimate", *self.MANY, "--top", "0"], reports), "top")

    def test_a_shape_is_whole_and_in_order(self):
        wave = ["square-wave", "--epsilon", "2", "--domain", "64", "--lower", "18", "--upper", "100"]
        rows = self.rows(self.shown(wave, perturbed(wave, [20 + v % 60 for v in range(3000)])).split("\n\n", 1)[1])
        self.assertEqual(len(rows), 64)
        self.assertEqual(rows[0].split()[:3], ["18.0", "to", "19.3"])
        self.assertEqual(rows[-1].split()[:3], ["98.7", "to", "100.0"])

    def test_decimals_go_with_the_error(self):
        for times, decimals in (1, 2), (10000, 4):
            counts = ",".join(str(each * times) for each in (40, 30, 20, 10))
            text = self.shown([*FLAT, "--counts", counts], b"")
            self.assertEqual(len(self.rows(text)[0].split()[1].split(".")[1]), decimals, text)

    def test_reports_that_cannot_be_of_this_protocol(self):
        reports = perturbed(["optimised-unary", "--epsilon", "2", "--domain", "20"], [v % 5 for v in range(5000)])
        wrong = ["symmetric-unary", "--epsilon", "2", "--domain", "20"]
        done = feed(["estimate", *wrong, "--json"], reports)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"these reports don't look like reports of symmetric-unary epsilon=2 domain=20", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["warnings"]), 1)
        done = feed(["estimate", "flat", "--epsilon", "1", "--domain", "5", "--counts", "500,300,100,60,40"], b"")
        self.assertIn(b"another protocol", done.stderr)
        done = feed(["estimate", "flat", "--epsilon", "1", "--domain", "4", "--counts", "40,30,20,10"], b"")
        self.assertEqual(done.stderr, b"")


class EveryProtocol(InFolder):
    """What clients say tells the truth about all of them: no estimate is off by six standard errors (one in 10^8)."""

    def truth(self, task):
        if task == "frequencies":
            values = [value for value, share in enumerate([40, 25, 15, 10, 5, 3, 2, 0]) for _ in range(share * 100)]
            return values, [values.count(v) / len(values) for v in range(8)]
        values = [round(-0.75 + (i % 101) / 100, 2) for i in range(10000)]
        return values, sum(values) / len(values)

    def check(self, protocol, arguments):
        values, truth = self.truth(protocol["task"])
        reports = perturbed(arguments, values)
        self.assertEqual(reports.count(b"\n"), len(values))
        got = estimated(arguments, reports)
        self.assertEqual((got["users"], got["rejected"]), (len(values), 0))
        if protocol["task"] == "mean":
            self.assertLess(abs(got["mean"] - truth), 6 * got["stderr"])
            self.assertLess(got["stderr"], 0.1)
            return
        for estimate, error, true in zip(got["distribution"], got["stderr"], truth, strict=True):
            self.assertLess(abs(estimate - true), 6 * error)
            self.assertLess(error, 0.1)

    def test_round_trips(self):
        seen = 0
        for protocol in protocols():
            if protocol["task"] == "shape":
                continue
            with self.subTest(protocol["name"]):
                self.check(protocol, in_order(protocol))
                seen += 1
        self.assertGreaterEqual(seen, 2)

    def test_a_wrong_epsilon_is_found(self):
        """The twin: reports of another ε are off by far more than the error bars."""
        values, truth = self.truth("frequencies")
        reports = perturbed(["flat", "--epsilon", "1", "--domain", "8"], values)
        got = estimated(["flat", "--epsilon", "2", "--domain", "8"], reports)
        self.assertGreater(abs(got["distribution"][0] - truth[0]), 6 * got["stderr"][0])

    def test_square_wave(self):
        if not any(protocol["task"] == "shape" for protocol in protocols()):
            self.skipTest("no protocol tells shapes")
        values = [20 + 10 * (i % 1000) / 1000 for i in range(20000)]
        arguments = ["square-wave", "--epsilon", "3", "--domain", "32", "--lower", "0", "--upper", "40"]
        reports = perturbed(arguments, values)
        smooth, rough = estimated(arguments, reports), estimated([*arguments, "--no-smoothing"], reports)
        self.assertEqual((smooth["method"], smooth["stopped"], rough["stopped"]), ("ibu", "change", "tolerance"))
        for got in smooth, rough:  # 20 … 30 are the bins 16 … 23
            self.assertLess(abs(got["mean"] - 25), 1)
            self.assertGreater(sum(got["distribution"][15:25]), 0.9)
        self.assertNotEqual(smooth["distribution"], rough["distribution"])

    def test_every_method(self):
        values, truth = self.truth("frequencies")
        for protocol in protocols():
            if protocol["task"] != "frequencies":
                continue
            arguments = in_order(protocol)
            reports = perturbed(arguments, values[::4])
            for method in "clip simplex ibu mle".split():
                with self.subTest(f"{protocol['name']} {method}"):
                    rounds = ["--rounds", "200"] if method == "mle" else []
                    got = estimated([*arguments, "--method", method, *rounds], reports)
                    self.assertAlmostEqual(sum(got["distribution"]), 1, places=9)
                    self.assertGreaterEqual(min(got["distribution"]), 0)
                    self.assertLess(abs(got["distribution"][0] - truth[0]), 0.15)
                    if method == "ibu":
                        self.assertEqual(got["stopped"], "tolerance")
                        self.assertLess(got["gap"], 1e-8)

    def test_junk_is_counted_and_the_rest_estimated(self):
        values, truth = self.truth("frequencies")
        junk = [b"", b"\xff\xfe\x00", b"x" * 5000, b"0x1", b"-7", b"NaN", b"1.5", b"1;2", b"\x1b[31m"]
        for protocol in protocols():
            if protocol["task"] != "frequencies":
                continue
            with self.subTest(protocol["name"]):
                arguments = in_order(protocol)
                lines = perturbed(arguments, values).splitlines()
                bad = len(lines) // 100
                for i in range(bad):
                    lines.insert((i * 97) % len(lines), junk[i % len(junk)])
                got = estimated(arguments, b"\r\n".join(lines) + b"\r\n")
                self.assertEqual(got["users"], len(values))
                self.assertEqual(got["rejected"], bad)
                self.assertEqual(got["rejections"]["malformed"] + got["rejections"]["wrong_length"], bad)
                for estimate, error, true in zip(got["distribution"], got["stderr"], truth, strict=True):
                    self.assertLess(abs(estimate - true), 6 * error)

    def test_reports_of_another_protocol(self):
        kinds = {"flat": "number", "hadamard": "number", "symmetric-unary": "bits", "optimised-unary": "bits",
                 "local-hashing": "spaced", "subset": "list", "duchi": "sign"}
        samples = {"number": b"7", "bits": b"01101001", "spaced": b"5 17 0", "list": b"1,3,5", "sign": b"-1"}
        for protocol in protocols():
            own = kinds.get(protocol["name"])
            if own is None:
                continue
            others = [line for kind, line in samples.items() if kind != own and not (own == "list" and kind == "number")]
            arguments = in_order(protocol)
            good = perturbed(arguments, [0] * 3)
            got = estimated(arguments, good + b"\n".join(others) + b"\n")
            with self.subTest(protocol["name"]):
                self.assertEqual(got["users"], 3)
                self.assertEqual(got["rejections"]["wrong_protocol"], len(others))


class Perturb(InFolder):
    def test_a_bad_line_is_named_and_nothing_is_written_of_a_file(self):
        path = self.file("values", "1\n2\n3\n4\n")
        with open(path, "rb") as values:
            done = subprocess.run([DISCREET, "local", "perturb", *FLAT], stdin=values, capture_output=True)
        self.refused(done, "line 4", "found '4'", "a whole number from 0 to 3")
        self.assertEqual(done.stdout, b"")
        for bad in ["01", "+1", " 1", "x", "", "1e0"]:
            done = feed(["perturb", *FLAT, "-i", self.file("values", f"1\n{bad}\n2\n"), "-o", str(self.folder / "out")], b"")
            self.refused(done, "line 2")
            self.assertFalse((self.folder / "out").exists())

    def test_of_a_pipe_the_end_of_what_was_written_is_told(self):
        data = b"1\n" * 2_000_000 + b"nine\n" + b"1\n" * 1000
        done = feed(["perturb", *FLAT], data)
        message = self.refused(done, "line 2000001", "found 'nine'")
        self.assertIn(f"what was written ends after line {len(done.stdout) // 2}", message)

    def test_an_old_file_stays_where_it_fails(self):
        out = self.file("out", "old")
        self.refused(feed(["perturb", *FLAT, "-o", out], b"1\n9\n"), "line 2")
        self.assertEqual(pathlib.Path(out).read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out"])
        self.assertEqual(feed(["perturb", *FLAT, "-o", out], b"1\n2\n").returncode, 0)
        self.assertEqual(pathlib.Path(out).read_text().count("\n"), 2)

    def test_labels(self):
        labels = self.file("labels", "apple\r\nbanana\r\ngrüne Birne\r\n")
        arguments = ["flat", "--epsilon", "8", "--values", labels]
        truth = ["apple"] * 500 + ["grüne Birne"] * 1500
        got = estimated(arguments, perturbed(arguments, truth))
        self.assertEqual(got["values"], ["apple", "banana", "grüne Birne"])
        self.assertLess(abs(got["distribution"][2] - 0.75), 6 * got["stderr"][2])
        self.refused(feed(["perturb", *arguments], b"apple\nbananna\n"), "line 2", "did you mean 'banana'?")
        self.refused(feed(["perturb", *arguments], b"0\n"), "line 1", "one of the 3 values")

    def test_lines_may_end_in_any_way(self):
        for data in [b"1\n2\n3\n", b"1\r\n2\r\n3\r\n", b"1\n2\n3", b"1\n2\n3\n\n"]:
            done = feed(["perturb", "flat", "--epsilon", "100", "--domain", "4"], data)
            self.assertEqual(done.stdout, b"1\n2\n3\n")
        self.assertEqual(feed(["perturb", *FLAT], b"").stdout, b"")

    def test_the_order_of_lines_is_kept(self):
        values = [i * 7919 % 997 for i in range(300_000)]  # more than a block
        path = self.file("values", "".join(f"{v}\n" for v in values))
        done = feed(["perturb", "flat", "--epsilon", "200", "--domain", "1000", "-i", path], b"")
        self.assertEqual([int(line) for line in done.stdout.split()], values)

    def test_numbers_are_clamped_and_that_is_said(self):
        names = [protocol["name"] for protocol in protocols() if protocol["task"] == "mean"]
        if not names:
            self.skipTest("no protocol is about numbers")
        arguments = [names[0], "--epsilon", "1", "--lower", "0", "--upper", "10"]
        done = feed(["perturb", *arguments], b"3\n11.5\n-1e3\n1e1\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"2 of 4 numbers were outside 0 to 10", done.stderr)
        for bad in [b"nan", b"inf", b"1,5", b"0x1", b"", b"--1"]:
            self.refused(feed(["perturb", *arguments], b"1\n" + bad + b"\n2\n"), "line 2", "a number from 0 to 10")
        self.refused(feed(["perturb", *FLAT, "--lower", "0"], b"1\n"), "--lower")
        self.refused(feed(["perturb", names[0], "--epsilon", "1", "--lower", "2"], b"1\n"), "--lower")

    def test_ctrl_c(self):
        for verb in [["perturb", *FLAT, "-o", str(self.folder / "out")], ["estimate", *FLAT],
                     ["aggregate", *FLAT, "-o", str(self.folder / "out")]]:
            process = subprocess.Popen([DISCREET, "local", *verb], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(b"1\n" * 1000)
            process.stdin.flush()
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=20), 130, verb)
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
            self.assertEqual(os.listdir(self.folder), [])


class Estimate(InFolder):
    def test_every_fault_is_counted(self):
        data = b"a\t1\nb\t2\nc\t3\na\t0\nd\t4\ne\t0110\nf\t1 2 3\ng\tx\nno tab\n\t1\nh\t\n"
        got = estimated([*FLAT, "--ids"], data)
        self.assertEqual(got["users"], 3)
        self.assertEqual(got["rejections"], {"malformed": 4, "wrong_length": 0, "out_of_range": 1, "wrong_protocol": 2, "duplicated": 1})
        self.assertEqual(got["rejected"], 8)

    def test_wrong_lengths(self):
        if not any(protocol["name"] == "symmetric-unary" for protocol in protocols()):
            self.skipTest("no protocol writes bits")
        got = estimated(["symmetric-unary", "--epsilon", "1", "--domain", "5"], b"01010\n0101\n010101\n01012\n")
        self.assertEqual((got["users"], got["rejections"]["wrong_length"], got["rejections"]["malformed"]), (1, 2, 1))

    def test_many_refused_is_a_warning_and_all_a_failure(self):
        done = feed(["estimate", *FLAT, "--json"], b"1\n" * 19 + b"x\n")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = feed(["estimate", *FLAT, "--json"], b"1\n" * 18 + b"x\n" * 2)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: 2 of 20 reports were refused: 2 malformed", done.stderr)
        self.refused(feed(["estimate", *FLAT], b"x\n" * 30), "30 of 30 reports were refused", code=1)
        self.refused(feed(["aggregate", *FLAT, "-o", str(self.folder / "s")], b"x\n"), "refused", code=1)
        self.assertEqual(os.listdir(self.folder), [])
        self.refused(feed(["estimate", *FLAT], b""), "no reports", code=1)

    def test_hostile_bytes(self):
        data = b"\0" * 3_000_000 + b"\n" + b"1" * 3_000_000 + b"\n" + b"1\n" + b"\n" * 200_000 + b"\r\r\n2" + os.urandom(20000).replace(b"\n", b"")
        got = estimated(FLAT, data)
        self.assertEqual(got["users"], 1)
        self.assertEqual(got["rejected"], data.count(b"\n"))

    def test_counts(self):
        got = answer("local", "estimate", *FLAT, "--counts", "40,30,20,10")
        p = math.e / (math.e + 3)
        q = 1 / (math.e + 3)
        for estimate, count in zip(got["distribution"], [40, 30, 20, 10], strict=True):
            self.assertAlmostEqual(estimate, (count / 100 - q) / (p - q), places=12)
        self.assertEqual(got["users"], 100)
        self.assertEqual(got["stopped"], "direct")
        self.refused(discreet("local", "estimate", *FLAT, "--counts", "40,30,20"), "--counts", "found 3 numbers; accepted are 4")
        self.refused(discreet("local", "estimate", *FLAT, "--counts", "40,30,20,-1"), "--counts")
        self.refused(discreet("local", "estimate", *FLAT, "--counts", "40,30,20,1.5"), "--counts")
        self.refused(discreet("local", "estimate", *FLAT, "--counts", "1,1,1,1", "--users", "4"), "--users")
        self.refused(discreet("local", "estimate", *FLAT, "--counts", "0,0,0,0"), "no reports", code=1)

    def test_counts_of_supports(self):
        if not any(protocol["name"] == "symmetric-unary" for protocol in protocols()):
            self.skipTest("no protocol writes bits")
        arguments = ["symmetric-unary", "--epsilon", "1", "--domain", "3"]
        reports = b"100\n110\n011\n100\n"
        counted = answer("local", "estimate", *arguments, "--counts", "3,2,1", "--users", "4")
        self.assertEqual(counted["distribution"], estimated(arguments, reports)["distribution"])
        self.refused(discreet("local", "estimate", *arguments, "--counts", "3,2,1"), "--users")
        self.refused(discreet("local", "estimate", *arguments, "--counts", "3,2,5", "--users", "4"), "--counts")

    def test_several_files_and_a_table(self):
        one, two = self.file("one", "1\n2\n"), self.file("two", "3\r\n1")
        self.assertEqual(answer("local", "estimate", *FLAT, "-i", one, two)["users"], 4)
        text = discreet("local", "estimate", *FLAT, "-i", one, two).stdout
        self.assertIn("From 4 reports.", text)
        self.assertIn("value", text)
        many = discreet("local", "estimate", "flat", "--epsilon", "1", "--domain", "60", "-i", one).stdout
        self.assertIn("The greatest 50 of 60 values; 10 are left out (--all shows them).", many)
        self.refused(discreet("local", "estimate", *FLAT, "-i", str(self.folder / "none")), "could not be read", code=1)
        self.refused(discreet("local", "estimate", *FLAT, "-i", one, "--counts", "1,1,1,1"), "accepted is one")

    def test_start_rounds_and_tolerance(self):
        counts = ["--counts", "40,30,20,10", "--method", "ibu"]
        one = answer("local", "estimate", *FLAT, *counts, "--rounds", "1")
        self.assertEqual(one["stopped"], "rounds")
        close = answer("local", "estimate", *FLAT, *counts, "--tolerance", "1e-10")
        self.assertLessEqual(close["gap"], 1e-10)
        start = answer("local", "estimate", *FLAT, *counts, "--start", "0.7,0.1,0.1,0.1", "--tolerance", "1e-10")
        for a, b in zip(close["distribution"], start["distribution"], strict=True):
            self.assertAlmostEqual(a, b, places=3)
        self.refused(discreet("local", "estimate", *FLAT, *counts, "--start", "0.7,0.3"), "--start", "4")
        self.refused(discreet("local", "estimate", *FLAT, "--method", "ibo"), "--method", "did you mean 'ibu'?")

    def test_a_picture(self):
        path = self.folder / "p.svg"
        self.assertEqual(discreet("local", "estimate", *FLAT, "--counts", "40,30,20,10", "--plot", path).returncode, 0)
        self.assertTrue(path.read_text().startswith("<svg"))


class Channels(InFolder):
    def test_any_channel(self):
        path = self.file("channel.csv", "1/2,1/3,1/6\n1/10,2/5,1/2\n1/5,1/5,3/5\n")
        arguments = ["channel", "--channel", path]
        described = answer("local", "describe", *arguments)
        self.assertAlmostEqual(described["epsilon"], math.log(5), places=14)
        self.assertNotIn("p", described)
        values = [0] * 8000 + [1] * 10000 + [2] * 2000
        reports = perturbed(arguments, values)
        for method in ["inversion", "mle"]:
            got = estimated([*arguments, "--method", method], reports)
            for estimate, error, true in zip(got["distribution"], got["stderr"], [0.4, 0.5, 0.1], strict=True):
                self.assertLess(abs(estimate - true), 6 * error)
                self.assertLess(error, 0.1)
        got = estimated(arguments, b"0\n1\n2\n3\n1 2 3\n")
        self.assertEqual((got["users"], got["rejections"]["out_of_range"], got["rejections"]["wrong_protocol"]), (3, 1, 1))

    def test_a_transposed_channel_is_found(self):
        """The twin: the same reports read with another channel are far off."""
        one = self.file("one.csv", "9/10,1/10\n1/2,1/2\n")
        two = self.file("two.csv", "9/10,1/10\n1/10,9/10\n")
        reports = perturbed(["channel", "--channel", one], [0, 1] * 5000)
        got = estimated(["channel", "--channel", two], reports)
        self.assertGreater(abs(got["distribution"][0] - 0.5), 6 * got["stderr"][0])
        state = str(self.folder / "state")
        self.assertEqual(feed(["aggregate", "channel", "--channel", one, "-o", state], reports).returncode, 0)
        self.refused(discreet("local", "estimate", "channel", "--channel", two, "--state", state), "found a state of")

    def test_formulas(self):
        formula = "truncated-geometric(size=5, epsilon=ln(2))"
        values = [0] * 3000 + [4] * 1000
        arguments = ["channel", "--channel", formula]
        got = estimated([*arguments, "--method", "mle"], perturbed(arguments, values))
        self.assertLess(abs(got["distribution"][0] - 0.75), 0.15)
        self.assertAlmostEqual(got["epsilon"], 4 * math.log(2), places=12)
        big = "truncated-geometric(size=100000, epsilon=ln(2))"
        self.refused(feed(["perturb", "channel", "--channel", big], b"1\n"), "--channel")
        self.assertEqual(estimated(["channel", "--channel", big], b"1\n")["users"], 1)

    def test_what_is_refused(self):
        self.refused(discreet("local", "describe", "channel"), "--channel")
        self.refused(discreet("local", "describe", *FLAT, "--channel", "x.csv"), "--channel")
        identity = self.file("identity.csv", "1,0\n0,1\n")
        self.refused(feed(["perturb", "channel", "--channel", identity], b"0\n"), "finite")
        self.assertEqual(answer("local", "describe", "channel", "--channel", identity)["epsilon"], "inf")
        self.refused(discreet("local", "describe", "channel", "--channel", identity, "--epsilon", "1"), "--epsilon")


if __name__ == "__main__":
    unittest.main()
