#!/usr/bin/env python3
"""Runs tests/sql/*.test: questions with the answers or the refusals they must get.

A case is a line `answer [options]` or `refuse [exit code] [options]`, the query, a line `----`, and what must hold, up to a blank
line. Of an answer: `columns a b`, `rows N`, `row v1 | v2 | …` (one for each row, in order; numbers within 1e-6 of themselves, `~5` within 2 % and 0.1,
`?` anything), `cost epsilon delta`. Of a refusal: pieces of its message, one a line. Answers are asked with an ε at which the noise
under an exact number is 0, but for a chance of less than 1e-6 in a whole file, so that what is tested is what the query means.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parent.parent))
DISCREET = os.environ.get("DISCREET", str(SOURCE / "build" / "discreet"))
sys.path.insert(0, str(SOURCE / "tests" / "sql"))
import fixture  # noqa: E402


def cases(path):
    lines = path.read_text().splitlines()
    i = 0
    while i < len(lines):
        if not lines[i].strip() or lines[i].startswith("#"):
            i += 1
            continue
        start, head = i + 1, lines[i].split()
        query, expected = [], []
        i += 1
        while lines[i] != "----":
            query.append(lines[i])
            i += 1
        i += 1
        while i < len(lines) and lines[i].strip():
            expected.append(lines[i])
            i += 1
        yield start, head, "\n".join(query), expected


# The grid of whole numbers that have weights (src/bound/weights.h).
FINEST = 2 ** -10


def noise_chance(number):
    """P[a whole number isn't shown as it is]. On whole points: that noise isn't 0. On a finer grid, and rounded then: that it is a half or more."""
    if number["noise"] == "laplace" and number["grid"] < 1:
        return math.exp(-0.5 / number["scale"])
    if number["noise"] == "laplace":
        q = math.exp(-1 / number["scale"])
        return 2 * q / (1 + q)
    return math.erfc(0.5 / number["scale"] / math.sqrt(2))


class Sql(unittest.TestCase):
    """The cases of a file, or of a part of it, with a budget of their own. They are run together: a case alone is soon done."""
    together = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.policy = fixture.write(pathlib.Path(cls.folder.name) / "data")
        cls.environment = {**os.environ, "XDG_STATE_HOME": cls.folder.name + "/state"}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ask(self, policy, query, options):
        if "--epsilon" not in options and "SELECT WITH DIFF" not in query and "--no-epsilon" not in options:
            options = ["--epsilon", "10000", "--delta", "1e-3"] + options
        options = [o for o in options if o != "--no-epsilon"]
        return subprocess.run([DISCREET, "sql", "--policy", str(policy), "--json", *options, query], capture_output=True, text=True,
                              env=self.environment, timeout=120)

    def check_noise(self, plan, expected, place):
        """The noise under numbers that are compared exactly must be 0 but for a small chance: no file has 200 cases, so 1e-6 for each file."""
        rows = [line[4:].split(" | ") for line in expected if line.startswith("row ")]
        cells = [cell.strip() for row in rows for cell in row]
        if not any(re.fullmatch(r"-?[\d.]+", cell) for cell in cells):
            return
        # Beside a `~` the sums are what it stands for, and the exact numbers are counts.
        near = any(cell.startswith("~") for cell in cells)
        chance = sum(len(rows) * noise_chance(number) for part in plan.get("parts", []) for number in part["numbers"]
                     if FINEST <= number.get("grid", 0) <= 1 and not (near and number["what"].startswith("sum")))
        self.assertLess(chance, 5e-9, f"{place}: ask with a larger ε")

    def check_cell(self, want, found, place):
        if want == "?":
            return
        if want.startswith("~"):
            self.assertAlmostEqual(float(want[1:]), found, delta=abs(float(want[1:])) * 0.02 + 0.1, msg=place)
        elif isinstance(found, bool) or found is None or isinstance(found, str):
            self.assertEqual(want, {True: "true", False: "false", None: "NULL"}.get(found, found) if not isinstance(found, str) else found, place)
        else:
            self.assertAlmostEqual(float(want), found, delta=1e-6 * max(1, abs(found)), msg=place)

    def check_answer(self, answer, expected, place):
        rows = [line[4:].split(" | ") for line in expected if line.startswith("row ")]
        for line in expected:
            word, _, rest = line.partition(" ")
            if word == "columns":
                self.assertEqual(rest.split(), answer["columns"], place)
            elif word == "rows":
                self.assertEqual(int(rest), len(answer["rows"]), f"{place}: {answer['rows']}")
            elif word == "cost":
                self.assertEqual([float(x) for x in rest.split()], [answer["guarantee"]["epsilon"], answer["guarantee"]["delta"]], place)
            elif word != "row":
                self.fail(f"{place}: what is '{word}'?")
        if rows:
            self.assertEqual(len(rows), len(answer["rows"]), f"{place}: {answer['rows']}")
            for want, found in zip(rows, answer["rows"]):
                self.assertEqual(len(want), len(found), place)
                for a, b in zip(want, found):
                    self.check_cell(a.strip(), b, f"{place}: {answer['rows']}")


def make(path, start, head, query, expected):
    def test(self):
        place = f"{path.name}:{start}"
        code = int(head[1]) if head[0] == "refuse" and len(head) > 1 and head[1].isdigit() else (3 if head[0] == "refuse" else 0)
        options = head[2:] if head[0] == "refuse" and len(head) > 1 and head[1].isdigit() else head[1:]
        done = self.ask(self.policy, query, options)
        self.assertEqual(code, done.returncode, f"{place}: {done.stderr} {done.stdout[:300]}")
        if head[0] == "refuse":
            self.assertEqual("", done.stdout, place)
            for piece in expected:
                self.assertIn(piece, done.stderr, place)
            return
        answer = json.loads(done.stdout)
        self.check_answer(answer, expected, place)
        self.check_noise(answer["plan"], expected, place)
    return test


# A class for each file, and for each 50 cases of a long one: answers_1 and answers_2.
for FILE in sorted((SOURCE / "tests" / "sql").glob("*.test")):
    for number, case in enumerate(cases(FILE)):
        name = f"{FILE.stem}_{number // 50 + 1}"
        if name not in globals():
            globals()[name] = type(name, (Sql,), {})
        setattr(globals()[name], f"test_{FILE.stem}_{case[0]:04}", make(FILE, *case))

if __name__ == "__main__":
    unittest.main()
