"""discreet channel, from the outside: every command of its contract, exactness of what it prints, and every refusal."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.dom.minidom
from fractions import Fraction

from support import DISCREET, SOURCE

LN2 = math.log(2)


def run(*arguments, folder=None, **options):
    return subprocess.run([DISCREET, "channel", *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=folder, **options)


class Case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_in(self, *arguments, **options):
        return run(*arguments, folder=self.folder, **options)

    def answer(self, *arguments, **options):
        done = self.run_in(*arguments, "--json", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, says, *arguments, code=2, **options):
        done = self.run_in(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def coin(self):
        return self.write("coin.csv", "3/4,1/4\n1/4,3/4\n")


def check_private(case, matrix, edges, ratio):
    """As printed: every row sums to exactly 1 and neighbours are within the ratio, as rational numbers."""
    rows = [[Fraction(entry) for entry in row] for row in matrix]
    for row in rows:
        case.assertEqual(sum(row), 1)
        case.assertTrue(all(entry >= 0 for entry in row))
    for a, b in edges:
        for p, q in zip(rows[a], rows[b]):
            case.assertLessEqual(p, ratio * q)
            case.assertLessEqual(q, ratio * p)


def path(n):
    return [(i, i + 1) for i in range(n - 1)]


class Contract(Case):
    def test_make_truncated_geometric(self):
        matrix = self.answer("make", "truncated-geometric", "--size", 6, "--epsilon", "ln(2)")["matrix"]
        for y in range(6):
            for z in range(6):
                expected = 0.5 ** abs(y - z) * ((1 / 1.5) if z in (0, 5) else (0.5 / 1.5))
                self.assertAlmostEqual(matrix[y][z], expected, delta=1e-15)
        text = self.run_in("make", "truncated-geometric", "--size", 6, "--epsilon", "ln(2)").stdout
        rows = [[Fraction(cell) for cell in line.split(",")] for line in text.splitlines()]
        check_private(self, rows, path(6), 2)

    def test_make_with_any_epsilon_is_exact(self):
        for epsilon in ["0.5", "1e-3", "3", "ln(3)/2", "ln(7/5)"]:
            text = self.run_in("make", "truncated-geometric", "--size", 30, "--epsilon", epsilon).stdout
            rows = [[Fraction(cell) for cell in line.split(",")] for line in text.splitlines()]
            self.write("c.csv", text)
            check_private(self, rows, [], 1)
            verdict = self.answer("epsilon", "c.csv", "--graph", "path", "--at-most", epsilon)
            self.assertTrue(verdict["holds"], epsilon)
            value = eval(epsilon.replace("ln", "math.log"))
            self.assertAlmostEqual(verdict["epsilon"], value, delta=1e-12)

    def test_make_flat(self):
        matrix = self.answer("make", "flat", "--size", 4, "--epsilon", "ln(3)")["matrix"]
        self.assertEqual(matrix[0][0], 0.5)
        self.assertAlmostEqual(matrix[0][1], 1 / 6, delta=1e-16)

    def test_make_exponential(self):
        self.write("scores.csv", "2,0,1\n1,1,1\n0,2,1\n")
        matrix = self.answer("make", "exponential", "--scores", "scores.csv", "--epsilon", 1, "--graph", "path")["matrix"]
        total = math.exp(1) + 1 + math.exp(0.5)
        self.assertAlmostEqual(matrix[0][0], math.exp(1) / total, delta=1e-15)
        self.refused("changes by 1 between two", "make", "exponential", "--scores", "scores.csv", "--epsilon", 1, "--graph", "path", "--sensitivity", "1/2")
        self.refused("same way", "make", "exponential", "--scores", "scores.csv", "--epsilon", 1, "--graph", "path", "--monotone")

    def test_epsilon(self):
        self.assertEqual(self.answer("epsilon", self.coin())["epsilon"], math.log(3))
        self.assertEqual(self.answer("epsilon", "coin.csv", "--graph", "path")["epsilon"], math.log(3))
        self.write("open.csv", "1,0\n1/2,1/2\n")
        self.assertEqual(self.answer("epsilon", "open.csv")["epsilon"], "inf")
        self.write("edges.csv", "0,2\n2,1\n")
        self.write("three.csv", "1/2,1/2\n1/4,3/4\n1/3,2/3\n")
        self.assertAlmostEqual(self.answer("epsilon", "three.csv", "--graph", "edges.csv")["epsilon"], math.log(1.5), delta=1e-15)
        self.assertAlmostEqual(self.answer("epsilon", "three.csv", "--graph", "complete")["epsilon"], LN2, delta=1e-15)

    def test_a_tiny_excess_is_seen(self):
        tiny = Fraction(1, 2**40)
        self.write("bent.csv", f"{Fraction(3, 4) + tiny},{Fraction(1, 4) - tiny}\n1/4,3/4\n")
        self.assertFalse(self.answer("epsilon", "bent.csv", "--at-most", "ln(3)")["holds"])
        self.assertTrue(self.answer("epsilon", self.coin(), "--at-most", "ln(3)")["holds"])

    def test_delta(self):
        self.coin()
        self.assertAlmostEqual(self.answer("delta", "coin.csv", "--epsilon", "0.5")["delta"], 0.75 - math.exp(0.5) / 4, delta=1e-15)
        self.assertEqual(self.answer("delta", "coin.csv", "--epsilon", "ln(3)")["delta"], 0)
        self.assertEqual(self.answer("delta", "coin.csv", "--epsilon", "0")["delta"], 0.5)

    def test_utility(self):
        self.write("tg.csv", self.run_in("make", "truncated-geometric", "--size", 6, "--epsilon", "ln(2)").stdout)
        out = self.answer("utility", "tg.csv", "--prior", "uniform", "--gain", "identity")
        self.assertAlmostEqual(out["utility"], 4 / 9, delta=1e-16)
        self.assertEqual(out["remap"], [0, 1, 2, 3, 4, 5])
        self.assertEqual(self.answer("utility", self.coin(), "--prior", "0.2,0.8", "--gain", "identity"), {"utility": 0.8, "remap": [1, 1], "exact": "0.8"})
        self.write("prior.csv", "0.2\n0.8\n")
        self.assertEqual(self.answer("utility", "coin.csv", "--prior", "prior.csv", "--gain", "distance")["utility"], -0.2)
        self.write("gain.csv", "1,0\n0,1\n1/2,2/3\n")
        self.assertEqual(self.answer("utility", "coin.csv", "--prior", "uniform", "--gain", "gain.csv")["remap"], [0, 1])
        self.assertEqual(self.answer("utility", "coin.csv", "--prior", "binomial(1/4)")["utility"], 0.75)

    def test_optimal(self):
        for more in [[], ["--method", "closed-form"], ["--method", "linear-program"]]:
            out = self.answer("optimal", "--graph", "path", "--size", 6, "--epsilon", "ln(2)", "--prior", "uniform", "--gain", "identity", *more)
            self.assertAlmostEqual(out["utility"], 4 / 9, delta=1e-14)
            self.assertEqual(out["exact"], "4/9")
            certificate = out["certificate"]
            self.assertLessEqual(certificate["primal"], Fraction(4, 9))
            self.assertGreaterEqual(certificate["dual"], Fraction(4, 9))
            self.assertTrue(0 <= certificate["gap"] < 1e-14)
            check_private(self, out["matrix"], path(6), 2)
            utility = sum(Fraction(out["matrix"][y][y]) for y in range(6)) / 6
            self.assertLessEqual(certificate["primal"], utility)
            self.assertAlmostEqual(certificate["primal"], float(utility), delta=1e-16)

    def test_optimal_elsewhere(self):
        self.write("edges.csv", "0,1\n1,2\n2,3\n3,0\n0,2\n")
        for graph, edges in [("cycle", [(0, 1), (1, 2), (2, 3), (3, 0)]), ("complete", [(a, b) for a in range(4) for b in range(a)]),
                             ("edges.csv", [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])]:
            for prior in ["uniform", "binomial", "0.1,0.2,0.3,0.4"]:
                for gain in ["identity", "distance"]:
                    out = self.answer("optimal", "--graph", graph, "--size", 4, "--epsilon", "ln(3)", "--prior", prior, "--gain", gain)
                    check_private(self, out["matrix"], edges, 3)
                    self.assertLess(out["certificate"]["gap"], 1e-9)

    def test_anybody_can_check_the_certificate(self):
        self.write("edges.csv", "0,1\n1,2\n2,0\n2,3\n")
        for graph, epsilon in [("path", "ln(2)"), ("path", "0.7"), ("cycle", "ln(3)"), ("complete", "1.5"), ("complete", "ln(2)"), ("edges.csv", "0.4")]:
            for more in [[], ["--method", "linear-program"]]:
                out = self.answer("optimal", "--graph", graph, "--size", 4, "--epsilon", epsilon, "--prior", "0.1,0.2,0.3,0.4", "--gain", "identity",
                                  "--certificate", "proof.json", *more)
                proof = json.loads((self.folder / "proof.json").read_text())
                upper = Fraction(proof["ratio"]["upper"])
                self.assertGreaterEqual(upper, Fraction(math.exp(eval(epsilon.replace("ln", "math.log")))) * (1 - Fraction(1, 2**51)))
                neighbours = {"path": [(0, 1), (1, 2), (2, 3)], "cycle": [(0, 1), (1, 2), (2, 3), (0, 3)], "complete": [(a, b) for a in range(4) for b in range(a + 1, 4)],
                              "edges.csv": [(0, 1), (1, 2), (0, 2), (2, 3)]}[graph]
                most = [Fraction(-1)] * 4
                for w, part in enumerate(proof["multipliers"]):
                    sums = [Fraction(y + 1, 10) if y == w else Fraction(0) for y in range(4)]
                    for start, end, amount in part["edges"]:
                        self.assertIn((min(start, end), max(start, end)), neighbours)
                        self.assertGreaterEqual(Fraction(amount), 0)
                        sums[start] -= Fraction(amount)
                        sums[end] += upper * Fraction(amount)
                    if "over" in part:
                        self.assertEqual(graph, "complete")
                        over, under = ([Fraction(entry) for entry in part[side]] for side in ("over", "under"))
                        self.assertTrue(all(entry >= 0 for entry in over + under))
                        self.assertGreaterEqual(sum(under), upper * sum(over))
                        sums = [total + gain - loss for total, gain, loss in zip(sums, under, over)]
                    most = [max(pair) for pair in zip(most, sums)]
                self.assertLessEqual(sum(most), out["certificate"]["dual"])
                self.assertAlmostEqual(float(sum(most)), out["certificate"]["dual"], delta=1e-15)

    def test_optimal_with_an_irrational_ratio(self):
        out = self.answer("optimal", "--graph", "path", "--size", 5, "--epsilon", "0.7", "--prior", "binomial", "--gain", "distance")
        check_private(self, out["matrix"], path(5), Fraction(math.exp(0.7)) * (1 + Fraction(1, 2**52)))
        self.assertLess(out["certificate"]["gap"], 1e-12)

    def test_graph(self):
        out = self.answer("graph", "--query", "average", "--values", "0,1,2", "--records", 3)
        self.assertEqual(len(out["nodes"]), 7)
        self.assertEqual(len(out["edges"]), 11)
        self.assertTrue(out["cycles"])
        self.assertEqual(out["exact"], ["0", "1/3", "2/3", "1", "4/3", "5/3", "2"])
        self.assertEqual(sorted(out["cycle"]), [0, 1, 2])
        self.assertEqual(out["diameter"], 3)
        count = self.answer("graph", "--query", "count", "--values", "0,1", "--records", 4, "--output", "count-edges.csv")
        self.assertFalse(count["cycles"])
        self.assertTrue(count["path"])
        self.assertEqual(self.answer("optimal", "--graph", "count-edges.csv", "--epsilon", 1, "--prior", "uniform")["method"], "closed-form")
        table = "".join(f"{a},{b},{(a + b) % 2}\n" for a in (0, 1) for b in (0, 1))
        self.write("table.csv", table)
        self.assertEqual(self.answer("graph", "--query", "table", "--table", "table.csv", "--values", "0,1", "--records", 2)["nodes"], [0, 1])
        self.assertEqual(self.answer("graph", "--query", "max", "--values", "1,2,3", "--records", 2, "--relation", "add-remove")["databases"], 9)
        self.assertEqual(self.answer("graph", "--query", "count", "--values", "1,2,3", "--records", 2, "--counted", "2,3")["nodes"], [0, 1, 2])

    def test_tradeoff(self):
        out = self.answer("tradeoff", self.coin())
        self.assertEqual(out["points"], [[0, 1], [0.25, 0.25], [1, 0]])
        self.assertEqual(self.answer("tradeoff", "coin.csv", "--fa", "1/8")["md"], 0.625)

    def test_leakage(self):
        out = self.answer("leakage", self.coin(), "--prior", "uniform")
        self.assertAlmostEqual(out["capacity_bits"], math.log2(1.5), delta=1e-15)

    def test_universal(self):
        self.assertTrue(self.answer("universal", "--graph", "path", "--size", 4, "--epsilon", "ln(2)")["universal"])
        out = self.answer("universal", "--graph", "cycle", "--size", 4, "--epsilon", "ln(2)")
        self.assertFalse(out["universal"])
        alone = sum(part["primal"] for part in out["witness"]["alone"])
        self.assertGreater(alone, out["witness"]["together"]["dual"] + 0.1)

    def test_brenner_and_nissim(self):
        out = self.answer("optimal", "--graph", "cycle", "--size", 4, "--epsilon", "ln(2)", "--prior", "1/2,0,1/2,0", "--prior", "0,1/2,0,1/2", "--gain", "identity")
        self.assertAlmostEqual(out["utility"], 4 / 3, delta=1e-12)
        for part in out["alone"]:
            self.assertAlmostEqual(part["primal"], 3 / 4, delta=1e-12)

    def test_combinations(self):
        self.coin()
        self.assertEqual(self.run_in("make", "compose", "coin.csv", "coin.csv").stdout, "0.625,0.375\n0.375,0.625\n")
        both = self.run_in("make", "together", "coin.csv", "coin.csv").stdout
        self.assertEqual(self.answer("epsilon", "-", input=both)["exact"], "ln(9)")
        self.assertEqual(len(self.answer("make", "product", "coin.csv", "coin.csv")["matrix"]), 4)
        self.assertEqual(self.run_in("make", "oblivious", "coin.csv", "--map", "0,1,1").stdout, "0.75,0.25\n0.25,0.75\n0.25,0.75\n")
        rows = self.answer("make", "oblivious", "truncated-geometric(size=4, epsilon=ln(2))", "--query", "count", "--values", "0,1", "--records", 3)["matrix"]
        self.assertEqual(len(rows), 8)
        self.assertEqual(self.run_in("make", "randomized-response").stdout, "0.75,0.25\n0.25,0.75\n")

    def test_a_million_inputs(self):
        out = self.answer("utility", "truncated-geometric(size=1000000, epsilon=ln(2))", "--prior", "uniform", "--gain", "identity")
        exact = (Fraction(1, 3) * 999998 + Fraction(4, 3)) / 10**6
        self.assertTrue(out["interval"]["lower"] <= exact <= out["interval"]["upper"])
        self.assertEqual(len(out["remap"]), 10**6)
        self.assertEqual(self.answer("epsilon", "flat(size=1000000, epsilon=ln(2))")["exact"], "ln(2)")

    def test_pictures(self):
        self.coin()
        for arguments in [["epsilon", "coin.csv"], ["make", "flat", "--size", 40, "--epsilon", 1], ["tradeoff", "coin.csv"], ["utility", "coin.csv", "--prior", "uniform"],
                          ["optimal", "--graph", "cycle", "--size", 5, "--epsilon", 1, "--prior", "uniform"]]:
            done = self.run_in(*arguments, "--plot", "p.svg")
            self.assertEqual(done.returncode, 0, done.stderr)
            xml.dom.minidom.parse(str(self.folder / "p.svg"))
            (self.folder / "p.svg").unlink()
        self.refused("is there such a folder?", "epsilon", "coin.csv", "--plot", "no/such/p.svg")


class Refusals(Case):
    def test_files(self):
        for text, says in [("3/4,1/4\n1/4,2/4\n", "bad.csv, line 2, column 2: the row sums to 0.75; accepted is exactly 1"),
                           ("-0.5,1.5\n", "bad.csv, line 1, column 1: found -0.5; accepted is a probability from 0 to 1"),
                           ("1/2,1/2\n1/2\n", "bad.csv, line 2, column 2: found 1 number; accepted are 2, as in line 1"),
                           ("0.5;0.5\n", "separate numbers by commas"), ("", "line 1, column 1: found no numbers"), ("1/2,ln(2)\n", "line 1, column 2: found 'ln(2)'")]:
            self.write("bad.csv", text)
            for verb in [["epsilon", "bad.csv"], ["delta", "bad.csv", "--epsilon", 1], ["tradeoff", "bad.csv"], ["utility", "bad.csv", "--prior", "uniform"]]:
                self.refused(says, *verb)
        self.refused("does it exist?", "epsilon", "none.csv", code=1)
        self.refused("could not be read", "epsilon", ".", code=1)

    def test_graphs(self):
        self.coin()
        self.write("two.csv", "0,1\n2,3\n")
        self.refused("two.csv, line 2, column 1: the graph is disconnected: node 2 can't be reached from node 0", "optimal", "--graph", "two.csv", "--epsilon", 1, "--prior", "uniform")
        self.refused("two.csv, line 2, column 1: found 2; accepted is a node from 0 to 1", "epsilon", "coin.csv", "--graph", "two.csv")
        self.refused("did you mean 'path'?", "epsilon", "coin.csv", "--graph", "pth")
        self.refused("needs --size", "optimal", "--graph", "path", "--epsilon", 1, "--prior", "uniform")

    def test_options(self):
        self.coin()
        self.refused("did you mean 'uniform'?", "utility", "coin.csv", "--prior", "unifrom")
        self.refused("found 3 probabilities; accepted are 2", "utility", "coin.csv", "--prior", "0.2,0.3,0.5")
        self.refused("sums to 0.5", "utility", "coin.csv", "--prior", "0.2,0.3")
        self.refused("did you mean 'identity'?", "utility", "coin.csv", "--prior", "uniform", "--gain", "identiy")
        self.write("gain.csv", "1,0,0\n")
        self.refused("gain.csv, line 1, column 3: found 3 columns; accepted are 2", "utility", "coin.csv", "--prior", "uniform", "--gain", "gain.csv")
        for epsilon in ["0", "-1", "nan", "inf", "x", "501"]:
            self.refused("--epsilon: found", "make", "flat", "--size", 3, f"--epsilon={epsilon}")
        self.refused("1e-6 to 30", "optimal", "--graph", "path", "--size", 3, "--epsilon", 31, "--prior", "uniform")
        for size in ["0", "-1", "1.5", "x"]:
            self.refused("--size: found", "make", "flat", f"--size={size}", "--epsilon", 1)
        self.refused("without making it", "make", "flat", "--size", 1000000, "--epsilon", 1)
        self.refused("40000 variables", "optimal", "--graph", "path", "--size", 300, "--epsilon", 1, "--prior", "uniform")
        self.refused("did you mean 'average'?", "graph", "--query", "averge", "--values", "0,1", "--records", 2)
        self.refused("for paths", "optimal", "--graph", "cycle", "--size", 4, "--epsilon", 1, "--prior", "uniform", "--method", "closed-form")
        self.refused("did you mean 'flat'?", "epsilon", "flt(size=3, epsilon=1)")
        self.refused("accepted is flat(size=6, epsilon=ln(2))", "epsilon", "flat(size=3)")

    def test_nothing_is_half_written(self):
        self.write("kept.csv", "old")
        self.refused("--epsilon", "make", "flat", "--size", 3, "--epsilon=-1", "--output", "kept.csv")
        self.assertEqual((self.folder / "kept.csv").read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["kept.csv"])

    def test_every_verb_has_help_with_an_example(self):
        verbs = [["make", kind] for kind in ["truncated-geometric", "geometric", "flat", "randomized-response", "exponential", "product", "together", "compose", "oblivious"]]
        verbs += [[verb] for verb in ["make", "epsilon", "delta", "tradeoff", "utility", "leakage", "optimal", "universal", "graph"]]
        self.coin()
        for verb in verbs:
            text = self.run_in(*verb, "--help").stdout
            self.assertIn("Example:\n  ", text)
            example = text.split("Example:\n")[1].strip()
            environment = {**os.environ, "PATH": f"{pathlib.Path(DISCREET).parent}:{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-c", example], cwd=self.folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, example + done.stderr)


class Dust(Case):
    def test_doubles_are_taken_and_said(self):
        self.write("c.csv", "0.3333333333333333,0.6666666666666666\n0.5,0.5\n")
        done = self.run_in("epsilon", "c.csv", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertAlmostEqual(json.loads(done.stdout)["epsilon"], math.log(1.5), delta=1e-14)
        self.assertIn("1 row of decimals sums to 1 only up to rounding", done.stderr)
        self.write("c.csv", "0.3333333333333333,0.6666666666665\n")
        self.refused("c.csv, line 1, column 2: the row sums to", "epsilon", "c.csv")


class Documentation(unittest.TestCase):
    PAGE = SOURCE / "docs" / "channels.md"

    def test_pictures_are_what_the_program_draws(self):
        commands = re.findall(r"^<!-- discreet (channel .*) -->$", self.PAGE.read_text(), re.M)
        self.assertGreaterEqual(len(commands), 3)
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                words = command.split()
                picture = words[words.index("--plot") + 1]
                fresh = pathlib.Path(folder, pathlib.Path(picture).name)
                words[words.index("--plot") + 1] = str(fresh)
                done = subprocess.run([DISCREET, *words], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                if os.environ.get("DISCREET_REDRAW"):  # after a change that is meant: DISCREET_REDRAW=1 redraws them
                    shutil.copy(fresh, SOURCE / picture)
                self.assertEqual(fresh.read_text(), (SOURCE / picture).read_text(), command)

    def test_every_exercise_is_there(self):
        self.assertEqual(re.findall(r"^### (\d)\. ", self.PAGE.read_text(), re.M), list("12345678"))


if __name__ == "__main__":
    unittest.main()
