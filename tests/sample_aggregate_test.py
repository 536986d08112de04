"""discreet mechanism sample-aggregate, as a user meets it: programs and queries on blocks of a file."""
import json
import os
import subprocess
import unittest

from blocks import Case, quiet
from support import DISCREET, answer, discreet, pseudo_terminal


class Released(Case):
    def test_the_command_as_it_is_documented(self):
        script = self.program(self.MOST)
        done = discreet("mechanism", "sample-aggregate", "--program", f"./{script.name}", "--data", "visits.csv", "--unit", "id", "--blocks", "100", "--aggregate", "mode",
                        "--epsilon", "1", "--delta", "1e-6", "--release", "--json", cwd=self.place)
        self.assertEqual((done.returncode, quiet(done)), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual(found.pop("value"), "A")
        self.assertEqual(found.pop("guarantee"), {"epsilon": 1, "delta": 1e-6, "relation": "add-remove"})
        self.assertEqual(found.pop("blocks"), 100)
        self.assertEqual(set(found.pop("isolation")), {"network", "files", "calls", "pipes"})
        self.assertEqual(found, {"interval": None})

    def test_queries(self):
        found = answer(*self.arguments("--query", "SELECT mode(ward) FROM data", "--delta", "1e-3"))
        self.assertEqual((found["value"], found["blocks"], "isolation" in found), ("A", 40, False))
        for aggregate in ["median", "smooth-median", "mean"]:
            found = answer(*self.arguments("--query", "SELECT avg(minutes) FROM data", "--aggregate", aggregate, "--range", "0,100", blocks=200))
            self.assertTrue(27 < found["value"] < 33, found)
            self.assertEqual(found["guarantee"], {"epsilon": 8, "delta": 0, "relation": "add-remove"})

    def test_text(self):
        done = discreet(*self.arguments("--query", "SELECT mode(ward) FROM data", "--delta", "1e-3"))
        self.assertEqual(done.stdout, "A\ncost: ε = 8, δ = 0.001, add-remove\n")

    def test_what_blocks_disagree_on_is_withheld(self):
        found = answer(*self.arguments("--query", "SELECT min(id) FROM data", "--delta", "1e-9"))
        self.assertIsNone(found["value"])
        self.assertEqual(discreet(*self.arguments("--query", "SELECT min(id) FROM data", "--delta", "1e-9")).stdout.splitlines()[0], "(nothing)")

    def test_an_empty_answer_is_seen(self):
        for query in ["SELECT ''", "SELECT NULL", "SELECT id FROM data WHERE false"]:
            given = self.arguments("--query", query, "--delta", "1e-3")
            self.assertEqual(discreet(*given).stdout.splitlines()[0], "(empty)")
            self.assertEqual(answer(*given)["value"], "")

    def test_a_bar_on_a_terminal_alone(self):
        words = list(map(str, self.arguments("--program", self.program("sleep 0.2\necho x", "#!/bin/bash"), "--delta", "1e-3", "--jobs", 2)))
        master, slave = pseudo_terminal(self)
        running = subprocess.Popen([DISCREET, *words], stdout=subprocess.PIPE, stderr=slave, text=True, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        seen = b""
        try:
            while part := os.read(master, 4096):
                seen += part
        except OSError:  # the other end is closed
            pass
        os.close(master)
        self.assertEqual(running.communicate(timeout=60)[0].splitlines()[0], "x")
        self.assertIn(b"asking blocks", seen)
        self.assertIn(b"of 40", seen)
        self.assertEqual(quiet(discreet(*words)), "")

    def test_answers_of_ones_own(self):
        found = answer("mechanism", "sample-aggregate", "--answers", ",".join(["x"] * 60), "--epsilon", 3, "--delta", "1e-6")
        self.assertEqual(found["value"], "x")
        found = answer("mechanism", "sample-aggregate", "--answers", ",".join(["7"] * 60), "--aggregate", "median", "--range", "0,10", "--steps", 10, "--epsilon", 3)
        self.assertEqual(found["value"], 7)


class Public(Case):
    """What is said before any row is read."""

    def test_cost(self):
        cost = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 100, "--block-accuracy", 0.9)
        self.assertEqual((cost["epsilon"], cost["delta"], cost["threshold"], cost["blocks"]), (1, 1e-6, 15, 100))
        self.assertEqual(cost["blocks_needed"], 47)
        self.assertGreater(cost["probability"], 0.99999)
        at = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 47, "--block-accuracy", 0.9)["probability"]
        self.assertGreaterEqual(at, 0.95)
        below = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 46, "--block-accuracy", 0.9)["probability"]
        self.assertLess(below, 0.95)

    def test_accuracy(self):
        found = answer("mechanism", "sample-aggregate", "--accuracy", 0.05, "--epsilon", 1, "--delta", "1e-6", "--blocks", 100)
        self.assertEqual((found["bound"], found["agreeing_blocks"]), (17, 67))

    def test_too_few_blocks_are_refused_with_the_number_that_is_needed(self):
        done = discreet(*self.arguments("--query", "SELECT 1", "--delta", "1e-6", blocks=28, epsilon=1))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--blocks: found 28; accepted is 29 or more", done.stderr)
        self.assertIn("try: discreet mechanism sample-aggregate", done.stderr)

    def test_too_few_answers_ask_for_more_of_them(self):
        for action in ["--release", "--cost", "--pmf"]:
            done = discreet("mechanism", "sample-aggregate", "--answers", "a,a,a,a,b", "--epsilon", 1, "--delta", "1e-6", action)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--answers: found 5; accepted is 29 or more", done.stderr)
            self.assertIn("have more blocks answer", done.stderr)
            self.assertNotIn("try:", done.stderr)

    def test_what_is_wrong_is_said_at_once(self):
        marked = self.place / "was-run"
        script = self.program(f"open({str(marked)!r}, 'w')")
        plain = self.place / "plain"
        plain.write_text("echo\n")
        empty = self.place / "empty.csv"
        empty.write_text("")
        for code, said, more in [
            (2, "--unit: found 'ids'; accepted is a column of", ["--query", "SELECT 1", "--unit", "ids"]),
            (2, "did you mean 'id'?", ["--query", "SELECT 1", "--unit", "ids"]),
            (1, "can't be read", ["--query", "SELECT 1", "--data", self.place / "visit.csv"]),
            (1, "can't be read", ["--query", "SELECT 1", "--data", self.place]),
            (1, "no such file", ["--query", "SELECT 1", "--data", self.place / "visit.csv"]),
            (1, "the file is empty", ["--query", "SELECT 1", "--data", empty]),
            (2, "--program: found", ["--program", "/nowhere/script"]),
            (2, "one program, without arguments", ["--program", "python3 mean.py"]),
            (2, "chmod +x", ["--program", plain]),
            (2, "could not be started", ["--program", self.program("", "#!/no/such/interpreter")]),
            (2, "not found in FROM clause", ["--query", "SELECT wart FROM data"]),
            (2, "--query: found Parser Error", ["--query", "SELEC 1"]),
            (2, "several statements", ["--query", "SELECT 1; SELECT 2"]),
            (2, "both --program and --query", ["--query", "SELECT 1", "--program", script]),
            (2, "neither --program nor --query", []),
            (2, "--aggregate: found 'medain'; accepted is mode, median, smooth-median or mean", ["--query", "SELECT 1", "--aggregate", "medain"]),
            (2, "--range: found with --aggregate mode", ["--query", "SELECT 1", "--range", "0,1"]),
            (2, "--seconds: found '0'", ["--query", "SELECT 1", "--seconds", "0"]),
            (2, "--memory: found '1'", ["--query", "SELECT 1", "--memory", "1"]),
            (2, "--jobs: found 'many'", ["--query", "SELECT 1", "--jobs", "many"]),
        ]:
            with self.subTest(said=said):
                base = [str(word) for word in self.arguments("--delta", "1e-3")]
                for option in more[::2]:
                    if option in base:
                        place = base.index(option)
                        del base[place:place + 2]
                done = discreet(*base, *more)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")
        for said, more in [("--delta: missing", []), ("--range: missing", ["--aggregate", "median"]), ("--default: found 'x'; accepted is a number", ["--aggregate", "mean", "--range", "0,1", "--default", "x"])]:
            done = discreet(*self.arguments("--query", "SELECT 1", *more))
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)
        self.assertFalse(marked.exists())


class Records(Case):
    def test_records_that_are_hard_to_read(self):
        self.data.write_bytes(b"\xef\xbb\xbfid,x\r\n" + b"".join(b'%d,"a ""q"" \n line"\r\n' % i for i in range(400)) + b'"broken\n7,\xff\n,nobody\n9\n')
        text = "import csv, sys\nrows = list(csv.DictReader(sys.stdin))\nprint(all(row['x'] == 'a \"q\" \\n line' for row in rows), len({tuple(row) for row in rows}) <= 1)"
        self.assertEqual(self.mode(self.program(text))["value"], "True True")


if __name__ == "__main__":
    unittest.main()
