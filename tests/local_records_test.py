"""discreet local records and hitters, from the outside: what comes back is what was planted, junk is counted, mistakes are named.

The command has no seed, so that every statistical assertion here says how often it fails by chance: six standard errors are one in
5·10^8 for each estimate.
"""
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

from support import DISCREET

SIGMAS = 6


def run(*arguments, stdin=b"", folder=None):
    return subprocess.run([DISCREET, "local", *map(str, arguments)], input=stdin, capture_output=True, timeout=300, cwd=folder)


class Case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def good(self, *arguments, stdin=b""):
        done = run(*arguments, stdin=stdin, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def answer(self, *arguments, stdin=b""):
        return json.loads(self.good(*arguments, "--json", stdin=stdin))

    def refused(self, says, *arguments, stdin=b"", code=2):
        done = run(*arguments, stdin=stdin, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(says, done.stderr.decode())
        return done


class Records(Case):
    PEOPLE = 6000
    OPTIONS = ["--epsilon", "3", "--domains", "4,16,2"]

    def records(self):
        chance = random.Random(15)
        rows = [(chance.choice([0, 0, 0, 1, 2, 3]), min(int(chance.expovariate(0.5)), 15), int(chance.random() < 0.2)) for _ in range(self.PEOPLE)]
        text = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
        return rows, text

    def check(self, found, rows):
        self.assertEqual(len(found["attributes"]), 3)
        for j, (attribute, size) in enumerate(zip(found["attributes"], [4, 16, 2])):
            self.assertEqual(len(attribute["distribution"]), size)
            self.assertEqual(attribute["stopped"], "direct")
            for v, (estimate, error) in enumerate(zip(attribute["distribution"], attribute["stderr"])):
                self.assertLess(abs(estimate - sum(row[j] == v for row in rows) / len(rows)), SIGMAS * error, (j, v))

    def test_both_ways_and_every_protocol(self):
        rows, text = self.records()
        errors = {}
        for by in ["sampling", "splitting"]:
            for protocol in ["flat", "optimised-unary", "local-hashing", "hadamard", "subset"]:
                reports = self.good("records", "perturb", protocol, *self.OPTIONS, "--by", by, stdin=text)
                self.assertEqual(reports.count(b"\n"), len(rows))
                found = self.answer("records", "estimate", protocol, *self.OPTIONS, "--by", by, stdin=reports)
                self.check(found, rows)
                self.assertEqual((found["users"], found["rejected"], found["by"]), (len(rows), 0, by))
                users = [attribute["users"] for attribute in found["attributes"]]
                self.assertEqual(users if by == "splitting" else [sum(users)], [len(rows)] * (3 if by == "splitting" else 1))
                errors[protocol, by] = found["attributes"][1]["stderr"][15]
        for protocol in ["flat", "local-hashing"]:
            self.assertLess(errors[protocol, "sampling"], errors[protocol, "splitting"])

    def test_sampling_is_what_one_gets(self):
        rows, text = self.records()
        reports = self.good("records", "perturb", "flat", *self.OPTIONS, stdin=text)
        self.assertRegex(reports.splitlines()[0], rb"^[012]\t\d+$")
        self.check(self.answer("records", "estimate", "flat", *self.OPTIONS, stdin=reports), rows)

    def test_an_attribute_says_what_an_estimate_says(self):
        _, text = self.records()
        for protocol in ["flat", "subset"]:
            reports = self.good("records", "perturb", protocol, *self.OPTIONS, stdin=text)
            for attribute in self.answer("records", "estimate", protocol, *self.OPTIONS, stdin=reports)["attributes"]:
                self.assertEqual(attribute["bars"], "inversion")
                self.assertGreater(attribute["threshold"], 0)
            for attribute in self.answer("records", "estimate", protocol, *self.OPTIONS, "--method", "ibu", stdin=reports)["attributes"]:
                self.assertLess(attribute["log_likelihood"], 0)
                self.assertGreaterEqual(attribute["gap"], 0)
                self.assertEqual((attribute["bars"], attribute["stopped"]), ("information", "tolerance"))
        # reports of another ε: a half of the values have far fewer than noise alone brings
        strange = self.answer("records", "estimate", "flat", "--epsilon", 0.1, "--domains", "4,16,2", stdin=b"0\t0\n1\t0\n2\t0\n" * 2000)
        for attribute in strange["attributes"]:
            self.assertIn("don't look like reports of flat", attribute["warnings"][0])

    def test_methods_states_and_junk(self):
        rows, text = self.records()
        (self.folder / "records.csv").write_bytes(text)
        self.good("records", "perturb", "flat", *self.OPTIONS, "-i", "records.csv", "-o", "reports")
        reports = (self.folder / "reports").read_bytes().splitlines(keepends=True)
        half = len(reports) // 2
        junk = [b"\n", b"junk\n", b"7\t1\n", b"1\t16\n", b"1\n", b"\xff\xfe\n"]
        (self.folder / "one").write_bytes(b"".join(reports[:half] + junk))
        (self.folder / "two").write_bytes(b"".join(reports[half:]))
        for name in ["one", "two"]:
            self.good("records", "aggregate", "flat", *self.OPTIONS, name, "-o", name + ".state")
        self.good("merge", "one.state", "two.state", "-o", "all")
        merged = self.answer("records", "estimate", "flat", *self.OPTIONS, "--state", "all")
        direct = self.answer("records", "estimate", "flat", *self.OPTIONS, "-i", "one", "two")
        self.assertEqual(merged, direct)
        self.assertEqual((merged["users"], merged["rejected"]), (len(rows), len(junk)))
        self.assertEqual(merged["rejections"], {"malformed": 3, "wrong_length": 1, "out_of_range": 2, "wrong_protocol": 0, "duplicated": 0})
        self.check(merged, rows)
        for method in ["clip", "simplex", "ibu", "mle"]:
            for attribute in self.answer("records", "estimate", "flat", *self.OPTIONS, "--state", "all", "--method", method)["attributes"]:
                self.assertAlmostEqual(sum(attribute["distribution"]), 1, 6)
                self.assertGreaterEqual(min(attribute["distribution"]), 0)
        self.refused("found a state of", "records", "estimate", "flat", "--epsilon", 3, "--domains", "16,4,2", "--state", "all")
        table = self.good("records", "estimate", "flat", *self.OPTIONS, "--state", "all").decode()
        self.assertIn("6 of 6,006 reports were refused", table)
        self.assertEqual(len({len(line) for line in table.splitlines()[:24]}), 1, table)

    def test_an_attribute_that_nobody_drew_spoils_no_other(self):
        arguments = ["records", "estimate", "flat", "--epsilon", "1", "--domains", "4,16,2"]
        found = self.answer(*arguments, stdin=b"0\t1\n0\t2\n1\t3\n")["attributes"]
        self.assertEqual([each["users"] for each in found], [2, 1, 0])
        self.assertEqual(found[2]["stderr"], ["inf", "inf"])
        self.assertNotIn("inf", found[0]["stderr"] + found[1]["stderr"])
        text = self.good(*arguments, stdin=b"0\t1\n0\t2\n1\t3\n").decode()
        self.assertIn("unknown", text)
        self.assertIn("Nothing is known of an attribute that nobody reported.", text)

    def test_mistakes(self):
        flat = ["records", "perturb", "flat", *self.OPTIONS]
        self.refused("line 2: found 2 columns; accepted are 3", *flat, stdin=b"1,2,1\n1,2\n")
        self.refused("line 1: found 4 columns; accepted are 3", *flat, stdin=b"1,2,1,0\n")
        self.refused("line 1: found 1 column; accepted are 3", *flat, stdin=b"\n1,2,1\n")
        self.refused("line 3, column 2: found '16'; accepted is a number from 0 to 15", *flat, stdin=b"1,2,1\n1,2,1\n1,16,1\n")
        self.refused("line 1, column 1: found ' 1'", *flat, stdin=b" 1,1,1\n")
        (self.folder / "bad").write_bytes(b"1,2,1\n1,2\n")
        self.assertEqual(self.refused("'bad', line 2", *flat, "-i", "bad").stdout, b"")
        self.refused("accepted is sampling or splitting", *flat, "--by", "halves")
        self.refused("did you mean 'flat'", "records", "perturb", "flt", *self.OPTIONS)
        self.refused("which is about numbers", "records", "perturb", "duchi", *self.OPTIONS)
        self.refused("--domains", "records", "perturb", "flat", "--epsilon", 1, "--domains", "4,1")
        self.refused("found no reports", "records", "estimate", "flat", *self.OPTIONS, code=1)
        self.refused("2 of 2 reports were refused", "records", "estimate", "flat", *self.OPTIONS, stdin=b"x\ny\n", code=1)


class Hitters(Case):
    OPTIONS = ["--epsilon", "3", "--bytes", "6"]
    SHARES = {"": 0.1, "tea": 0.2, "teapot": 0.15, "日本": 0.15, "a word that is too long": 0.1}

    def words(self, people=40_000):
        chance = random.Random(7)
        out = [word.encode() for word, share in self.SHARES.items() for _ in range(round(share * people))]
        while len(out) < people:
            out.append("".join(chance.choice("bcdfghjk") for _ in range(6)).encode())
        chance.shuffle(out)
        return out

    def check(self, found):
        hitters = {each["value"]: each for each in found["hitters"]}
        expected = {word.encode()[:6].decode(): share for word, share in self.SHARES.items()}
        # a word that nobody has is shown in one collection of a hundred: it is no failure
        self.assertLessEqual(set(expected), set(hitters))
        for word, share in expected.items():
            self.assertLess(abs(hitters[word]["frequency"] - share), SIGMAS * hitters[word]["stderr"], word)

    def test_planted_words_come_back(self):
        words = self.words()
        reports = self.good("hitters", "perturb", *self.OPTIONS, stdin=b"\n".join(words) + b"\n")
        self.assertRegex(reports.splitlines()[0], rb"^[0-5] \d+ \d+ \d+$")
        found = self.answer("hitters", "estimate", *self.OPTIONS, "--top", 10, stdin=reports)
        self.check(found)
        self.assertEqual(found["users"], len(words))
        self.assertEqual([level["bits"] for level in found["levels"]], [8, 16, 24, 32, 40, 48])
        self.assertEqual(sum(level["users"] for level in found["levels"]), len(words))
        self.assertTrue(all(0 < level["candidates"] <= 65536 for level in found["levels"]))
        self.assertTrue(all(each["frequency"] >= found["threshold"] for each in found["hitters"]))
        frequencies = [each["frequency"] for each in found["hitters"]]
        self.assertEqual(frequencies, sorted(frequencies, reverse=True))
        self.assertLessEqual(len(self.answer("hitters", "estimate", *self.OPTIONS, "--top", 2, stdin=reports)["hitters"]), 2)
        table = self.good("hitters", "estimate", *self.OPTIONS, stdin=reports).decode()
        self.assertIn("(empty)", table)
        self.assertIn("日本", table)

    def test_states_and_one_percent_junk(self):
        words = self.words()
        reports = self.good("hitters", "perturb", *self.OPTIONS, stdin=b"\n".join(words)).splitlines(keepends=True)
        junk = [b"junk\n", b"6 1 1 1\n", b"1 2 3\n", b"1 2305843009213693951 1 1\n"] * 100
        mixed = reports + junk
        random.Random(3).shuffle(mixed)
        half = len(mixed) // 2
        for name, part in [("one", mixed[:half]), ("two", mixed[half:])]:
            (self.folder / name).write_bytes(b"".join(part))
            self.good("hitters", "aggregate", *self.OPTIONS, name, "-o", name + ".state")
        self.good("merge", "one.state", "two.state", "-o", "all")
        found = self.answer("hitters", "estimate", *self.OPTIONS, "--state", "all")
        self.assertEqual(found, self.answer("hitters", "estimate", *self.OPTIONS, "-i", "one", "two"))
        self.check(found)
        self.assertEqual((found["users"], found["rejected"]), (len(words), len(junk)))
        self.assertEqual(found["rejections"], {"malformed": 100, "wrong_length": 100, "out_of_range": 200, "wrong_protocol": 0, "duplicated": 0})

    def test_bytes_that_are_no_text(self):
        words = [b"\xff\xfe"] * 3000 + [b"\x1b[31m"] * 3000
        reports = self.good("hitters", "perturb", *self.OPTIONS, stdin=b"\n".join(words))
        found = self.answer("hitters", "estimate", *self.OPTIONS, stdin=reports)
        self.assertIn("fffe", [each.get("hex") for each in found["hitters"]])
        self.assertIn("\x1b[31m", [each["value"] for each in found["hitters"]])
        self.assertNotIn(b"\x1b", self.good("hitters", "estimate", *self.OPTIONS, stdin=reports))

    def test_duplicates(self):
        reports = self.good("hitters", "perturb", *self.OPTIONS, stdin=b"tea\n" * 100).splitlines()
        lines = b"".join(b"client%d\t%s\n" % (i % 50, report) for i, report in enumerate(reports))
        found = self.answer("hitters", "estimate", *self.OPTIONS, "--ids", stdin=lines)
        self.assertEqual((found["users"], found["rejections"]["duplicated"]), (50, 50))

    def test_no_report_of_the_last_level(self):
        reports = self.good("hitters", "perturb", "--epsilon", "2", "--bytes", "2", stdin=b"cat\n" * 500)
        text = self.good("hitters", "estimate", "--epsilon", "2", "--bytes", "20", stdin=reports).decode()
        self.assertIn("No report speaks of whole words", text)
        self.assertNotIn("inf", text)

    def test_mistakes(self):
        self.refused("line 2: found a zero byte", "hitters", "perturb", *self.OPTIONS, stdin=b"tea\na\0b\n")
        self.refused("--bytes", "hitters", "perturb", "--epsilon", 1, "--bytes", 33)
        self.refused("--epsilon", "hitters", "perturb", "--epsilon", 0)
        self.refused("--candidates", "hitters", "estimate", *self.OPTIONS, "--candidates", 255)
        self.refused("--top", "hitters", "estimate", *self.OPTIONS, "--top", 0)
        self.refused("found no reports", "hitters", "estimate", *self.OPTIONS, code=1)
        self.refused("1 of 1 reports was refused", "hitters", "estimate", *self.OPTIONS, stdin=b"tea\n", code=1)
        self.assertEqual(self.good("hitters", "perturb", *self.OPTIONS), b"")


if __name__ == "__main__":
    unittest.main()
