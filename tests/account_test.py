"""discreet account, from the outside: the commands and keys of its contract, published values, and every refusal."""

import json
import math
import os
import subprocess
import tempfile
import unittest
import xml.dom.minidom

DISCREET = os.environ["DISCREET"]


def run(*arguments):
    return subprocess.run([DISCREET, "account", *arguments], capture_output=True, text=True, timeout=120)


def answer(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Keys(unittest.TestCase):
    def test_epsilon(self):
        out = answer("epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=1.1))*10000")
        self.assertEqual(list(out), ["epsilon", "delta", "accountant"])
        self.assertEqual(list(out["epsilon"]), ["lower", "upper"])
        self.assertEqual(out["delta"], 1e-5)
        self.assertEqual(out["accountant"], "pld")
        # dp_accounting 0.6 (connect the dots, interval 1e-3) gives 5.19625 as an upper bound.
        self.assertLess(out["epsilon"]["upper"], 5.1963)
        self.assertGreater(out["epsilon"]["lower"], 5.18)
        self.assertLessEqual(out["epsilon"]["upper"] - out["epsilon"]["lower"], 1e-3 * out["epsilon"]["upper"])

    def test_delta(self):
        out = answer("delta", "--epsilon", "1", "gaussian(sigma=1)")
        self.assertEqual(list(out), ["delta", "epsilon", "accountant"])
        # Balle and Wang 2018, Theorem 8.
        self.assertAlmostEqual(out["delta"]["upper"], 0.12693673750664, places=13)
        self.assertLessEqual(out["delta"]["lower"], 0.126936737506644)

    def test_calibrate(self):
        out = answer("calibrate", "--epsilon", "1", "--delta", "1e-5", "gaussian(sigma=?)*20")
        self.assertEqual(list(out), ["unknown", "value"])
        self.assertEqual(out["unknown"], "sigma")
        self.assertAlmostEqual(out["value"], 3.730631634815942 * math.sqrt(20), places=10)
        # What is printed, put back, holds.
        back = answer("delta", "--epsilon", "1", f"gaussian(sigma={out['value']!r})*20")
        self.assertLessEqual(back["delta"]["upper"], 1e-5)

    def test_calibrate_counts_are_whole(self):
        out = answer("calibrate", "--epsilon", "2", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=1))*?")
        self.assertEqual(out["unknown"], "count")
        self.assertIsInstance(out["value"], int)
        self.assertLessEqual(
            answer("delta", "--epsilon", "2", f"poisson(0.01, gaussian(sigma=1))*{out['value']}")["delta"]["upper"], 1e-5)

    def test_renyi(self):
        out = answer("renyi", "--alpha", "2.5", "gaussian(sigma=2)*3")
        self.assertEqual(list(out), ["renyi"])
        self.assertAlmostEqual(out["renyi"], 3 * 2.5 / 8, places=14)
        self.assertEqual(answer("renyi", "--alpha", "2", "dp(epsilon=1, delta=0.1)")["renyi"], "inf")

    def test_group(self):
        out = answer("group", "--size", "3", "--epsilon", "1", "--delta", "1e-6")
        self.assertEqual(out["epsilon"], 3)
        self.assertAlmostEqual(out["delta"], 1e-6 * (math.exp(3) - 1) / (math.e - 1), places=16)

    def test_tradeoff(self):
        points = answer("tradeoff", "gaussian(sigma=1)", "--points", "50")["points"]
        self.assertEqual(len(points), 50)
        self.assertEqual(points[0], [0, 1])
        self.assertEqual(points[-1], [1, 0])
        self.assertTrue(all(a[1] >= b[1] for a, b in zip(points, points[1:])))
        # Φ(Φ⁻¹(1−0.001) − 1)
        self.assertAlmostEqual(answer("tradeoff", "gaussian(sigma=1)", "--fa", "0.001")["md"], 0.98170153159345, places=10)
        self.assertAlmostEqual(answer("tradeoff", "dp(epsilon=1, delta=0.01)", "--fa", "0.05")["md"], 0.99 - 0.05 * math.e, places=6)

    def test_compare(self):
        out = answer("compare", "laplace(scale=10)*100", "--delta", "1e-5")
        rows = {row["accountant"]: row for row in out["accountants"]}
        self.assertEqual(list(rows), ["basic", "advanced", "optimal", "zcdp", "rdp", "gdp", "pld"])
        self.assertIn("can't handle laplace(scale=10)", rows["gdp"]["error"])
        value = {name: row["epsilon"]["upper"] for name, row in rows.items() if "epsilon" in row}
        self.assertEqual(value["basic"], 10)
        self.assertLess(value["pld"], min(v for name, v in value.items() if name != "pld"))
        self.assertEqual(rows["basic"]["epsilon"]["lower"], 0)
        text = run("compare", "laplace(scale=10)*100", "--delta", "1e-5")
        self.assertEqual(text.returncode, 0)
        for name in rows:
            self.assertIn(name, text.stdout)


class Values(unittest.TestCase):
    def test_zcdp(self):
        # Canonne, Kamath and Steinke 2020, over every order.
        out = answer("delta", "--epsilon", "0.25", "zcdp(rho=0.05)")
        self.assertAlmostEqual(out["delta"]["upper"], 0.08177275, places=8)
        self.assertEqual(out["delta"]["lower"], 0)

    def test_abadi(self):
        # Abadi et al. 2016, Section 5.2 and Figure 2 (q = 0.01, σ = 4, 10000 steps, δ = 1e-5): the moments accountant says 1.26.
        out = answer("epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=4))*10000")
        self.assertLess(out["epsilon"]["upper"], 1.26)
        rdp = answer("epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=4))*10000", "--accountant", "rdp")
        self.assertLess(out["epsilon"]["upper"], rdp["epsilon"]["upper"])
        self.assertLess(rdp["epsilon"]["upper"], 1.26)

    def test_infinite(self):
        out = answer("epsilon", "--delta", "1e-5", "dp(epsilon=1, delta=0.001)*30")
        self.assertEqual(out["epsilon"], {"lower": "inf", "upper": "inf"})

    def test_pure(self):
        self.assertEqual(answer("epsilon", "--delta", "0", "laplace(scale=10)*10")["epsilon"]["upper"], 1)
        self.assertEqual(answer("epsilon", "--delta", "0", "gaussian(sigma=1)")["epsilon"]["upper"], "inf")

    def test_small_deltas(self):
        for delta in ("1e-12", "1e-15", "1e-18"):
            out = answer("epsilon", "--delta", delta, "poisson(0.01, gaussian(sigma=1))*1000")["epsilon"]
            self.assertLessEqual(out["upper"] - out["lower"], 1e-3 * out["upper"])

    def test_relations(self):
        event = "poisson(0.1, gaussian(sigma=1))*10"
        value = {r: answer("epsilon", "--delta", "1e-6", event, "--relation", r)["epsilon"] for r in ("add", "remove", "add-remove", "substitute")}
        self.assertAlmostEqual(value["add-remove"]["upper"], max(value["add"]["upper"], value["remove"]["upper"]), delta=2e-3 * value["remove"]["upper"])
        self.assertLess(value["add"]["upper"], value["remove"]["lower"])
        self.assertGreater(value["substitute"]["lower"], value["remove"]["upper"])

    def test_several_events_compose(self):
        one = answer("epsilon", "--delta", "1e-6", "laplace(scale=1)", "gaussian(sigma=1)")["epsilon"]
        two = answer("epsilon", "--delta", "1e-6", "compose(gaussian(sigma=1), laplace(scale=1))")["epsilon"]
        self.assertAlmostEqual(one["upper"], two["upper"], places=9)

    def test_memory_stays_below_its_ceiling(self):
        import resource
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        answer("epsilon", "--delta", "1e-5", "poisson(0.0001, gaussian(sigma=1))*10^9", "--tolerance", "1e-6")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 2**20, before)  # kB


class Limits(unittest.TestCase):
    """Every expression ends, with an interval or one sentence. (That it ends soon is a matter of counted work: extremes_test.cc.)"""

    def test_an_interval(self):
        for event in ("gaussian(sigma=1)*10^30", "gaussian(sigma=1e-9)", "discrete-gaussian(sigma=1e-9)", "exponential(epsilon=1e9)",
                      "laplace(scale=1,sensitivity=0)*5", "laplace(scale=1e-140)*10^290", "zcdp(rho=1e150)*10^300",
                      "poisson(1e-150, gaussian(sigma=1))", "poisson(1e-150, poisson(1e-150, laplace(scale=1)))*10^12",
                      "parallel(dp(epsilon=0), gaussian(sigma=1e-30))", "poisson(0.4, compose(laplace(scale=1e-9)*10, dp(epsilon=1e100)))"):
            out = answer("epsilon", "--delta", "1e-5", event)["epsilon"]
            self.assertLessEqual(float(out["lower"]), float(out["upper"]), event)
        wide = answer("epsilon", "--delta", "1e-5", "discrete-gaussian(sigma=1e-9)")["epsilon"]
        self.assertGreater(wide["upper"], 4e17)

    def test_one_sentence(self):
        for event, words in {"gaussian(sigma=1)" + "*10" * 30000: "at most 64 levels", "poisson(1e-400, gaussian(sigma=1))": "q: found a number smaller than 10^-150",
                             "laplace(scale=1)*10^301": "10^300", "compose(" * 5000: "at most 64 levels"}.items():
            done = run("epsilon", "--delta", "1e-5", event)
            self.assertEqual(done.returncode, 2, event[:50])
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 3, done.stderr)  # the sentence, the place, the caret
            self.assertLess(len(done.stderr), 600)

    def test_a_thousand_different_events(self):
        events = [f"poisson(0.01, gaussian(sigma={1 + i / 10000}))" for i in range(1000)]
        out = answer("epsilon", "--delta", "1e-5", *events, "--tolerance", "0.01")["epsilon"]
        # poisson(0.01, gaussian(sigma=1))*1000 costs more, with a deviation of 1.1 less.
        self.assertLess(out["upper"], answer("epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=1))*1000")["epsilon"]["upper"])
        self.assertGreater(out["lower"], answer("epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=1.1))*1000")["epsilon"]["lower"])

    def test_no_progress_where_nobody_watches(self):
        self.assertEqual(run("calibrate", "--epsilon", "1", "--delta", "1e-6", "poisson(0.001, gaussian(sigma=?))*86").stderr, "")


class Profile(unittest.TestCase):
    def test_negative_epsilon(self):
        # 1 − e^ε(1 − δ(−ε)), with δ(1) = 0 for laplace(scale=1) and Balle and Wang's for the Gaussian.
        out = answer("delta", "--epsilon", "-1", "laplace(scale=1)")
        self.assertEqual(out["epsilon"], -1)
        self.assertAlmostEqual(out["delta"]["upper"], 1 - math.exp(-1), places=12)
        gaussian = answer("delta", "--epsilon", "-1", "gaussian(sigma=1)")["delta"]
        self.assertAlmostEqual(gaussian["upper"], 1 - math.exp(-1) * (1 - 0.12693673750664), places=12)
        one, other = (answer("delta", "--epsilon", "-0.5", "poisson(0.1, gaussian(sigma=1))*10", "--relation", r)["delta"] for r in ("add", "remove"))
        self.assertGreater(one["lower"], other["upper"])  # adding at −ε is removing at ε

    def test_the_pure_epsilon(self):
        self.assertEqual(answer("renyi", "--alpha", "inf", "laplace(scale=2)*3")["renyi"], 1.5)
        self.assertEqual(answer("renyi", "--alpha", "inf", "gaussian(sigma=1)")["renyi"], "inf")
        self.assertEqual(answer("renyi", "--alpha", "inf", "rdp(alpha=2, epsilon=1)")["renyi"], "inf")
        out = answer("renyi", "--alpha", "inf", "poisson(0.1, laplace(scale=1))*2")["renyi"]
        self.assertAlmostEqual(out, 2 * math.log1p(0.1 * math.expm1(1)), places=12)


class Pictures(unittest.TestCase):
    def test_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, arguments in {
                "epsilon": ["epsilon", "--delta", "1e-5", "poisson(0.1, gaussian(sigma=1))*20"],
                "tradeoff": ["tradeoff", "laplace(scale=1)"],
                "compare": ["compare", "laplace(scale=10)*100", "--delta", "1e-5"],
            }.items():
                path = os.path.join(folder, name + ".svg")
                done = run(*arguments, "--plot", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(xml.dom.minidom.parse(path).documentElement.tagName, "svg")
            self.assertEqual(run("tradeoff", "laplace(scale=1)", "--plot", "/nonexistent/x.svg").returncode, 1)


class Refusals(unittest.TestCase):
    def refused(self, *arguments, says=()):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
        self.assertEqual(done.stdout, "")
        for words in says if isinstance(says, (list, tuple)) else [says]:
            self.assertIn(words, done.stderr)

    def test_carets(self):
        self.refused("epsilon", "--delta", "1e-5", "poisson(0.01, gausian(sigma=1))",
                     says=["unknown event 'gausian'", "did you mean 'gaussian'?", "\n                ^^^^^^^\n"])
        self.refused("epsilon", "--delta", "1e-5", "gaussian(sigma=-1)", says=["sigma", "^"])
        self.refused("epsilon", "--delta", "1e-5", "laplace(scale=1)*?", says=["count is unknown", "^"])

    def test_options(self):
        self.refused("epsilon", "--delta", "1", "laplace(scale=1)", says="--delta")
        self.refused("epsilon", "--delta", "-1", "laplace(scale=1)", says="--delta")
        self.refused("epsilon", "--delta", "nan", "laplace(scale=1)", says="--delta")
        self.refused("epsilon", "laplace(scale=1)", says="--delta")
        self.refused("epsilon", "--delta", "1e-5", says="EVENT")
        self.refused("delta", "--epsilon", "-1e7", "laplace(scale=1)", says="--epsilon")
        self.refused("calibrate", "--epsilon", "-1", "--delta", "1e-5", "gaussian(sigma=?)", says="--epsilon")
        self.refused("renyi", "--alpha", "1", "laplace(scale=1)", says="--alpha")
        self.refused("group", "--size", "0", "--epsilon", "1", "--delta", "0", says="--size")
        self.refused("tradeoff", "laplace(scale=1)", "--fa", "2", says="--fa")
        self.refused("tradeoff", "laplace(scale=1)", "--points", "1", says="--points")
        self.refused("epsilon", "--delta", "1e-5", "laplace(scale=1)", "--accountant", "pdl", says=["--accountant", "did you mean 'pld'?"])
        self.refused("epsilon", "--delta", "1e-5", "laplace(scale=1)", "--relation", "swap", says="--relation")
        self.refused("epsilon", "--delta", "1e-5", "laplace(scale=1)", "--tolerance", "0", says="--tolerance")

    def test_accountants_say_what_they_cannot(self):
        for accountant, event in {"gdp": "laplace(scale=1)", "basic": "gaussian(sigma=1)", "zcdp": "poisson(0.1, gaussian(sigma=1))",
                                  "pld": "zcdp(rho=1)", "optimal": "rdp(alpha=2, epsilon=1)"}.items():
            self.refused("epsilon", "--delta", "1e-5", event, "--accountant", accountant, says=f"the {accountant} accountant can't handle {event}")

    def test_calibration_without_an_answer(self):
        self.refused("calibrate", "--epsilon", "1", "--delta", "1e-5", "gaussian(sigma=1)", says="'?'")
        self.refused("calibrate", "--epsilon", "1", "--delta", "1e-5", "gaussian(sigma=?)*?", says="second '?'")
        self.refused("calibrate", "--epsilon", "1", "--delta", "0", "gaussian(sigma=?)", says="gaussian")

    def test_help_has_an_example(self):
        for verb in ("epsilon", "delta", "calibrate", "renyi", "group", "tradeoff", "compare"):
            done = run(verb, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("discreet account " + verb, done.stdout)


if __name__ == "__main__":
    unittest.main()
