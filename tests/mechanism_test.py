"""discreet mechanism, as a user meets it; the documentation's pictures."""
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import DISCREET, SOURCE, answer, discreet

LAPLACE = ["mechanism", "laplace", "--value", "412", "--sensitivity", "1", "--epsilon", "0.5"]


def pmf(*arguments, **options):
    """{output: probability} and what is left out."""
    found = answer("mechanism", *arguments, "--pmf", **options)
    return {json.dumps(row["output"]): row["probability"] for row in found["pmf"]}, found.get("tail", 0)


class Command(unittest.TestCase):
    def test_list(self):
        names = [m["name"] for m in answer("mechanism", "list")["mechanisms"]]
        for name in ["laplace", "geometric", "truncated-geometric", "gaussian", "discrete-gaussian", "exponential", "permute-and-flip",
                     "noisy-max", "sparse-vector", "randomized-response", "count", "histogram"]:
            self.assertIn(name, names)
        text = discreet("mechanism", "list").stdout
        self.assertTrue(all(name in text for name in names))

    def test_every_example_of_the_registry_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "answers.txt").write_text("20\n131\n90\n")
            for m in answer("mechanism", "list")["mechanisms"]:
                done = subprocess.run(["bash", "-c", m["example"].replace("discreet", DISCREET, 1) + " --json"], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, m["example"] + done.stderr)
                found = json.loads(done.stdout)
                self.assertEqual(set(found), {"value", "guarantee", "interval"})
                self.assertLessEqual({"epsilon", "delta"}, set(found["guarantee"]))
                help_text = discreet("mechanism", m["name"], "--help").stdout
                for parameter in m["required"] + m["optional"]:
                    self.assertIn("--" + parameter, help_text)

    def test_release(self):
        found = answer(*LAPLACE, "--release")
        self.assertIsInstance(found["value"], int)
        self.assertEqual(found["guarantee"]["epsilon"], 0.5)
        self.assertEqual(found["guarantee"]["delta"], 0)
        self.assertEqual(found["interval"]["confidence"], 0.95)
        self.assertEqual((found["interval"]["lower"] + found["interval"]["upper"]) / 2, found["value"])
        self.assertGreater(len({answer(*LAPLACE, "--release")["value"] for _ in range(20)}), 3)

    def test_laplace_pmf_is_the_formula(self):
        rows, tail = pmf(*LAPLACE[1:])
        alpha = math.exp(-0.5)
        self.assertLessEqual(tail, 1e-9)
        self.assertAlmostEqual(sum(rows.values()) + tail, 1, places=12)
        for output, probability in rows.items():
            self.assertAlmostEqual(probability / ((1 - alpha) / (1 + alpha) * alpha ** abs(int(output) - 412)), 1, places=12)
        rows, tail = pmf(*LAPLACE[1:], "--from", 410, "--to", 414)
        self.assertEqual([int(output) for output in rows], [410, 411, 412, 413, 414])
        self.assertAlmostEqual(sum(rows.values()) + tail, 1, places=12)

    def test_accuracy_that_is_private_is_shown_on_request_alone(self):
        for name in [["smooth-median"], ["smooth-quantile", "--quantile", 0.75]]:
            given = ["mechanism", *name, "--values", "30,31,35,38,38,41,44,52,70", "--range", "0,100", "--epsilon", 2, "--delta", "1e-3", "--accuracy", 0.05]
            done = discreet(*given, "--json")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("Add --unsafe-show-private to see it", done.stderr)
            self.assertEqual(done.stderr, discreet(*[word if word != "30,31,35,38,38,41,44,52,70" else "1,1" for word in given], "--json").stderr)
            found = answer(*given, "--unsafe-show-private")
            self.assertIs(found["private"], True)
            self.assertGreater(found["smooth_sensitivity"], 1)
            self.assertIn("private: ", discreet(*given, "--unsafe-show-private").stdout)
        cost = answer("mechanism", "smooth-median", "--range", "0,100", "--epsilon", 2, "--delta", "1e-3", "--cost")
        self.assertLess(cost["delta"], 1e-4)
        self.assertAlmostEqual(cost["smoothness"], 2 / (2 * math.log(2000)))

    def test_smooth_median_pmf(self):
        rows, tail = pmf("smooth-median", "--values", "3,3,3", "--range", "0,4", "--grid", 1, "--epsilon", 2)
        self.assertEqual(len(rows), 5)
        self.assertAlmostEqual(sum(rows.values()) + tail, 1, places=12)
        # S = max e^(-βk)·T_k with β = 1: 3·e^-2 at k = 2 from 3 to 0 (a fourth row would have to move), 4·e^-3 at k = 3
        s, c = max(3 * math.exp(-2), 4 * math.exp(-3), 1 * math.exp(-2)), 1 / (2 * math.sinh(0.5))
        below = lambda x: 0.5 + math.atan((x - 3) / (c * s)) / math.pi
        self.assertAlmostEqual(rows["0"], below(0.5), places=12)
        self.assertAlmostEqual(rows["3"], below(3.5) - below(2.5), places=12)

    def test_propose_test_release(self):
        given = ["propose-test-release", "--statistic", "median", "--range", "0,60", "--grid", 1, "--bound", 4, "--epsilon", 4, "--delta", "1e-2"]
        cost = answer("mechanism", *given, "--cost")
        self.assertEqual((cost["epsilon"], cost["delta"], cost["noise_scale"]), (4, 0.01, 2))
        rows, _ = pmf(*given, "--values", ",".join(["30"] * 60))
        self.assertLess(rows["null"], 1e-6)
        self.assertAlmostEqual(rows["30"], 1 - math.exp(-0.25), places=6)
        rows, _ = pmf(*given, "--values", "10,20,50,55")
        self.assertGreater(rows["null"], 0.98)
        found = answer("mechanism", *given, "--accuracy", 0.05)
        self.assertEqual(found["bound"], math.ceil(2 * math.log(20) - 0.5))
        for words, said in [(["--quantile", 0.5], "--quantile: found with the statistic median"), (["--trim", 0.1], "--trim: found with")]:
            self.assertIn(said, discreet("mechanism", *given, *words, "--cost").stderr)

    def test_the_grid_of_values(self):
        for ends, step in [("0,100", 2 ** -9), ("0,1", 2 ** -16), ("-3,7.5", 2 ** -12), ("0,65535", 1), ("0,65536", 1), ("0,1000000", 1), ("0,1000000.5", 16)]:
            for given in [["smooth-median"], ["propose-test-release", "--statistic", "median", "--bound", 0.5, "--delta", "1e-3"]]:
                self.assertEqual(answer("mechanism", *given, f"--range={ends}", "--epsilon", 2, "--cost")["grid"], step)
        # decimals aren't lost
        rows, _ = pmf("smooth-median", "--values", ",".join(["4.25"] * 200), "--range", "0,10", "--epsilon", 8, "--delta", "1e-3")
        self.assertGreater(rows["4.25"], 0.99)
        done = discreet("mechanism", "smooth-median", "--range=-1e300,1e300", "--epsilon", 1, "--cost")
        self.assertEqual((done.returncode, done.stderr.startswith("discreet: --range: found an end too far from 0")), (2, True), done.stderr)
        done = discreet("mechanism", "smooth-median", "--range=0,100", "--grid", "1e-30", "--epsilon", 1, "--cost")
        self.assertEqual((done.returncode, done.stderr.startswith("discreet: --grid: found ")), (2, True), done.stderr)

    def test_a_picture_with_too_many_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            done = discreet(*LAPLACE, "--grid", "1e-6", "--plot", f"{folder}/x.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--plot: found more outputs than can be drawn; accepted are up to 100000 (take a coarser --grid)", done.stderr)

    def test_a_proposal_as_wide_as_the_range(self):
        given = ["mechanism", "propose-test-release", "--statistic", "median", "--range", "0,60", "--epsilon", 4, "--delta", "1e-2", "--cost", "--bound"]
        for bound in [60, 1000]:
            done = discreet(*given, bound)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--bound: found {bound}; accepted is less than 60, the range's width", done.stderr)
        self.assertEqual(discreet(*given, 59).returncode, 0)

    def test_numbers_in_text_are_short_and_true(self):
        number = r"-?\d+(?:\.\d+)?"
        given = ["mechanism", "laplace", "--value", "1/3", "--sensitivity", "1/3", "--epsilon", 1]
        for _ in range(20):
            value, low, high = map(float, re.match(rf"({number})\n95 % sure: ({number}) to ({number})\n", discreet(*given, "--release").stdout).groups())
            for end in [low, high]:
                self.assertLessEqual(len(f"{abs(end)!r}".replace(".", "").lstrip("0")), 6)
            error = answer(*given, "--accuracy", 0.05)["bound"]
            self.assertLessEqual(low, value - error)
            self.assertGreaterEqual(high, value + error)
            self.assertLess(high - low - 2 * error, 2e-4)
        said = lambda *more: re.search(rf"±({number}) ", discreet("mechanism", "laplace", *more, "--accuracy", 0.05).stdout).group(1)
        self.assertEqual(said("--sensitivity", 0.001, "--grid", 0.001, "--epsilon", 0.01), "0.3")  # as a double, 0.30000000000000004
        self.assertEqual(said("--sensitivity", "0.1", "--epsilon", 1), "0.299683")  # 0.2996826171875
        self.assertEqual(said("--sensitivity", "1234567", "--epsilon", 1), str(answer("mechanism", "laplace", "--sensitivity", 1234567, "--epsilon", 1, "--accuracy", 0.05)["bound"]))

    def test_a_distribution_is_not_for_private_data(self):
        for m in answer("mechanism", "list")["mechanisms"]:
            self.assertIn("on this input: not for private data", " ".join(discreet("mechanism", m["name"], "--help").stdout.split()), m["name"])

    def test_pmf_has_at_most_a_hundred_thousand_rows(self):
        rows, tail = pmf("laplace", "--value", 0, "--sensitivity", 1, "--epsilon", "1e-6")
        self.assertLessEqual(len(rows), 100000)
        self.assertGreater(tail, 0.9)

    def test_accuracy(self):
        found = answer(*LAPLACE, "--accuracy", "0.05")
        alpha = math.exp(-0.5)
        beyond = lambda m: 2 * alpha ** (m + 1) / (1 + alpha)
        self.assertEqual((found["beta"], found["method"]), (0.05, "exact"))
        self.assertLessEqual(beyond(found["bound"]), 0.05)
        self.assertGreater(beyond(found["bound"] - 1), 0.05)
        self.assertAlmostEqual(found["deck_bound"], 2 * math.log(20))
        self.assertEqual(found, answer("mechanism", "laplace", "--sensitivity", 1, "--epsilon", 0.5, "--accuracy", "0.05"))

    def test_cost(self):
        cost = answer(*LAPLACE, "--cost")
        self.assertEqual((cost["epsilon"], cost["delta"]), (0.5, 0))
        cost = answer("mechanism", "gaussian", "--sensitivity", 1, "--epsilon", "0.3", "--delta", "1e-6", "--cost")
        self.assertEqual((cost["epsilon"], cost["delta"]), (0.3, 1e-6))
        cost = answer("mechanism", "randomized-response", "--values", "yes,no", "--epsilon", "ln(3)", "--cost")
        self.assertAlmostEqual(cost["epsilon"], math.log(3), places=15)

    def test_the_account_reads_what_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "answers.txt").write_text("20\n131\n90\n")
            for m in answer("mechanism", "list")["mechanisms"]:
                command = m["example"].replace("discreet", DISCREET, 1).replace("--release", "--cost --json")
                cost = json.loads(subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True).stdout)
                found = answer("account", "epsilon", cost["event"], "--delta", repr(cost["delta"]), "--relation", cost["relation"])
                with self.subTest(mechanism=m["name"], event=cost["event"]):
                    self.assertGreaterEqual(found["epsilon"]["upper"], cost["epsilon"] * (1 - 1e-6))
        # a hundred releases cost less than a hundred ε, now that the noise is known
        event = answer("mechanism", "laplace", "--sensitivity", 1, "--epsilon", 0.1, "--cost")["event"]
        self.assertEqual(event, "discrete-laplace(scale=10)")
        self.assertLess(answer("account", "epsilon", event + "*100", "--delta", "1e-5")["epsilon"]["upper"], 5)

    def test_outputs_are_on_the_grid(self):
        for value in ["0", "1", "1/3", "2^60", "2.7e-312", "-0.1"]:
            for _ in range(5):
                found = answer("mechanism", "laplace", "--value", value, "--sensitivity", "0.01", "--grid", "0.001", "--epsilon", "1", "--release")["value"]
                text = repr(found)
                self.assertAlmostEqual(found * 1000, round(found * 1000), places=3 if abs(found) < 1e6 else -8, msg=text)
        # on the default grid of a sensitivity that isn't whole, a power of two
        for _ in range(20):
            found = answer("mechanism", "laplace", "--value", "0.3333", "--sensitivity", "1/3", "--epsilon", "1", "--release")["value"]
            self.assertEqual(found * 2 ** 12, int(found * 2 ** 12))

    def test_truncated_geometric_ends(self):
        rows, tail = pmf("truncated-geometric", "--value", 3, "--max", 100, "--epsilon", "ln(2)")
        self.assertAlmostEqual(rows["0"], 0.5 ** 3 / 1.5, places=15)
        self.assertAlmostEqual(rows["3"], 1 / 3, places=15)
        rows, tail = pmf("truncated-geometric", "--value", 3, "--max", 10, "--epsilon", "ln(2)")
        self.assertEqual(tail, 0)
        self.assertAlmostEqual(rows["10"], 0.5 ** 7 / 1.5, places=15)
        self.assertAlmostEqual(sum(rows.values()), 1, places=14)

    def test_hair_colour(self):
        arguments = ["--scores", "500,399,399,399", "--sensitivity", "1", "--epsilon", "0.1"]
        found = answer("mechanism", "exponential", *arguments, "--pmf")
        self.assertAlmostEqual(found["pmf"][0]["probability"], 0.98113, places=5)
        self.assertAlmostEqual(found["deck_probability_of_best"], 0.973, places=3)
        flip = answer("mechanism", "permute-and-flip", *arguments, "--pmf")["pmf"]
        self.assertGreater(flip[0]["probability"], 0.98113)
        for name in ["exponential", "permute-and-flip", "noisy-max"]:
            found = answer("mechanism", name, *arguments, "--monotone", "--release")
            self.assertIn(found["value"], range(4))
            self.assertIsNone(found["interval"])

    def test_price(self):
        rows, _ = pmf("exponential", "--scores", "3,3.01,4,0", "--labels", "3,3.01,4,4.01", "--sensitivity", "4.01", "--epsilon", "10")
        weights = {label: math.exp(10 * score / (2 * 4.01)) for label, score in [("3", 3), ("3.01", 3.01), ("4", 4), ("4.01", 0)]}
        for label, weight in weights.items():
            self.assertAlmostEqual(rows[json.dumps(label)], weight / sum(weights.values()), places=13)

    def test_scores_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "scores.csv")
            path.write_text('# hair\ncolour,count\ndark,500\n"light brown",399\nred,399\n')
            rows, _ = pmf("exponential", "--scores-file", path, "--sensitivity", 1, "--epsilon", 0.1, "--unsafe-show-private")
            self.assertEqual(list(rows), ['"dark"', '"light brown"', '"red"'])
            path.write_text("1\n2\nx\n")
            done = discreet("mechanism", "exponential", "--scores-file", path, "--sensitivity", 1, "--epsilon", 0.1, "--release")
            self.assertEqual(done.returncode, 2)
            self.assertIn("line 3", done.stderr)

    def test_values_file(self):
        given = ["mechanism", "smooth-median", "--range", "0,10", "--epsilon", 8, "--delta", "1e-3", "--release", "--values-file"]
        sparse = ["mechanism", "sparse-vector", "--threshold", 5, "--positives", 1, "--epsilon", 1, "--release", "--answers"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "values")
            for text in ["1,2,3\n", "1\n2\n3\n4,5\n", "7\t3\n", "ann,2,3\n", "1, 2 ,3\n"]:
                path.write_text(text)
                for command in [given, sparse]:
                    done = discreet(*command, path)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(f"line {text.count(chr(10))}: found several numbers; accepted is one number a line", done.stderr)
            path.write_text("age\n30\n")
            self.assertIn("line 1 isn't a number. Write numbers such as 500, 3.01 or 1/3 (is the first line a header? remove it)", discreet(*given, path).stderr)
            for text in ["4\n" * 300, "value\n" + "4\n" * 300, "ann,4\n" * 300, '"7",4\n' * 300, "name,values\n" + "ann,4\n" * 300, "\ufeff" + "4\n" * 300]:
                path.write_text(text)
                self.assertEqual(answer(*given, path)["value"], 4)
            # where labels are wanted, they may be numbers
            path.write_text("2024,500\n2025,3\n")
            rows, _ = pmf("exponential", "--scores-file", path, "--sensitivity", 1, "--epsilon", 1, "--unsafe-show-private")
            self.assertEqual(list(rows), ['"2024"', '"2025"'])

    def test_coin_protocol(self):
        for truth, lie in [("yes", "no"), ("no", "yes")]:
            rows, _ = pmf("randomized-response", "--values", "yes,no", "--value", truth, "--epsilon", "ln(3)")
            self.assertEqual((rows[json.dumps(truth)], rows[json.dumps(lie)]), (0.75, 0.25))

    def test_sparse_vector(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "answers")
            path.write_text("20\n1310\n90\n2500\n90000\n")
            arguments = ["mechanism", "sparse-vector", "--answers", path, "--threshold", 100, "--positives", 2, "--epsilon", 20]
            self.assertEqual(answer(*arguments, "--release")["value"], [False, True, False, True])
            gaps = answer(*arguments, "--gap", "--release")["value"]
            self.assertEqual([gap is None for gap in gaps], [True, False, True, False])
            self.assertAlmostEqual(gaps[1], 1210, delta=60)
            rows, tail = pmf(*arguments[1:], "--unsafe-show-private")
            self.assertAlmostEqual(sum(rows.values()), 1, places=12)
            self.assertAlmostEqual(rows["[false, true, false, true]"], 1, places=6)
            self.assertEqual(answer(*arguments, "--accuracy", "0.05", "--questions", 5)["method"], "exact")
            self.assertIn("--questions", discreet(*arguments, "--accuracy", "0.05").stderr)

    def test_gaussian_calibration(self):
        # Balle and Wang's curve, by the textbook normal distribution
        phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2
        for epsilon, delta in itertools.product([0.1, 1, 5], [1e-3, 1e-6]):
            sigma = answer("mechanism", "gaussian", "--sensitivity", 1, "--epsilon", epsilon, "--delta", delta, "--accuracy", "0.1")["sigma"]
            curve = phi(1 / (2 * sigma) - epsilon * sigma) - math.exp(epsilon) * phi(-1 / (2 * sigma) - epsilon * sigma)
            self.assertAlmostEqual(curve / delta, 1, places=5)

    def test_relation(self):
        wide = answer("mechanism", "histogram", "--counts", "1,2,3", "--epsilon", 1, "--relation", "substitute", "--accuracy", "0.05")["bound"]
        narrow = answer("mechanism", "histogram", "--counts", "1,2,3", "--epsilon", 1, "--accuracy", "0.05")["bound"]
        self.assertGreater(wide, 1.5 * narrow)
        for name, arguments in [("laplace", ["--value", 1, "--sensitivity", 1]), ("count", ["--value", 1]),
                                ("exponential", ["--scores", "1,2", "--sensitivity", 1])]:
            found = answer("mechanism", name, *arguments, "--epsilon", 1, "--relation", "substitute", "--release")
            self.assertEqual(found["guarantee"]["relation"], "substitute")

    def test_odd_input_gets_one_sentence(self):
        score = ["exponential", "--scores", "1,2", "--sensitivity", "1", "--epsilon", "1"]
        cases = [(["laplac"], "laplace"), (["laplace", "--value", "1", "--sensitivity", "1", "--release"], "--epsilon"),
                 (["laplace", "--value", "nan", "--sensitivity", "1", "--epsilon", "1", "--release"], "--value"),
                 (["laplace", "--value", "1", "--sensitivity", "0", "--epsilon", "1", "--release"], "--sensitivity"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "-1", "--release"], "--epsilon"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "inf", "--release"], "--epsilon"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--grid", "0", "--release"], "--grid"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1e-14", "--release"], "coarser"),
                 (["laplace", "--sensitivity", "1", "--epsilon", "1", "--release"], "--value"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1"], "--release"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--pmf", "--cost"], "several"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--pmf", "--from", "3", "--to", "1"], "--from"),
                 (["laplace", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--accuracy", "0"], "--accuracy"),
                 (["geometric", "--value", "1.5", "--epsilon", "1", "--release"], "--value"),
                 (["gaussian", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--release"], "delta"),
                 (["gaussian", "--value", "1", "--sensitivity", "1", "--epsilon", "1", "--delta", "0", "--release"], "--delta"),
                 (["truncated-geometric", "--value", "1", "--max", "0", "--epsilon", "1", "--release"], "--max"),
                 (score[:2] + ["1,,2"] + score[3:] + ["--pmf"], "item 2"), (score + ["--labels", "a", "--pmf"], "--labels"),
                 (score + ["--monotone", "--relation", "substitute", "--pmf"], "monotone"),
                 (score + ["--relation", "both", "--pmf"], "--relation"),
                 (["randomized-response", "--values", "yes,no", "--value", "yess", "--epsilon", "1", "--release"], "yes"),
                 (["randomized-response", "--values", "yes", "--value", "yes", "--epsilon", "1", "--release"], "--values"),
                 (["sparse-vector", "--answers", "/dev/null", "--threshold", "1", "--positives", "1", "--epsilon", "1", "--release"], "--answers")]
        for arguments, part in cases:
            with self.subTest(arguments=arguments):
                done = discreet("mechanism", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(part, done.stderr)

    def test_a_million_candidates(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "scores")
            path.write_text("".join(f"{i % 1000}\n" for i in range(1_000_000)))
            for name in ["exponential", "permute-and-flip", "noisy-max"]:
                value = answer("mechanism", name, "--scores-file", path, "--sensitivity", 1, "--epsilon", 5, "--release")["value"]
                self.assertGreater(value % 1000, 900)


class NothingButTheAnswer(unittest.TestCase):
    """What is printed beside a released answer is the same for neighbours, whatever is asked: an exit code, an accuracy, an error."""

    # of the option that each mechanism takes its input by: neighbours, with nobody and far out among them
    NEIGHBOURS = {
        "value": [["412", "413", "-9"], ["0", "1", "1" + "0" * 40]], "users": [["0", "1", "8", "1" + "0" * 40]],
        "counts": [["", "a=1", "a=120,b=3,c=1", "a=1" + "0" * 40]], "values": [["", "7", "7,7,8", "7,1" + "0" * 40 + ",0.3333333333333333333333333333"]],
        "scores": [["5,3,0", "6,2,1", "1" + "0" * 40 + ",3,0.3333333333333333333333333333"]], "answers": [["5,3,0", "6,2,1", "1" + "0" * 40 + ",3,0.33"]],
        "answer-and-distance": [["42,31", "42,32", "43,1", "42,1" + "0" * 40]]}
    MORE = {"laplace": "--sensitivity 1", "truncated-geometric": "--max 20", "gaussian": "--sensitivity 1 --delta 1e-6", "discrete-gaussian": "--sensitivity 1 --rho 0.1 --delta 1e-6",
            "exponential": "--sensitivity 1", "permute-and-flip": "--sensitivity 1", "noisy-max": "--sensitivity 1", "top-k": "--sensitivity 1 --k 2",
            "sparse-vector": "--threshold 3 --positives 1 --questions 3", "stable-mode": "--delta 1e-6", "stability": "--delta 1e-6", "truncated-histogram": "--delta 1e-6",
            "partition-selection": "--delta 0.02", "smooth-median": "--range 0,100", "smooth-quantile": "--range 0,100 --quantile 0.25",
            "propose-test-release": "--statistic median --range 0,100 --bound 40 --delta 1e-2", "sample-aggregate": "--delta 1e-3",
            "sample-aggregate-median": "--range 0,100", "sample-aggregate-smooth": "--range 0,100", "sample-aggregate-mean": "--range 0,100"}
    ASKED = [["--release"], ["--accuracy", "0.05"], ["--cost"], ["--pmf"], ["--plot", "plot.svg"]]

    def inputs(self, m):
        if m["name"] == "histogram":
            return [["3,5", "4,5", "1" + "0" * 40 + ",5"]]
        if m["name"] == "randomized-response":
            return [["yes", "no"]]
        if m["name"] == "sample-aggregate":
            return [[",".join(["red"] * 29 + [last]) for last in ("blue", "red", "x" * 5000)]]
        if m["name"].startswith("sample-aggregate"):
            return [[",".join(["5"] * 29 + [last]) for last in ("3", "5", "1" + "0" * 40, "0.3333333333333333333333333333")]]
        if m["name"] in ("geometric", "truncated-geometric", "count"):
            return [["412", "413", "1" + "0" * 40]]
        return self.NEIGHBOURS[m["input"]]

    def told(self, done):
        """All but what is released."""
        try:
            found = json.loads(done.stdout)
        except ValueError:
            return done.returncode, done.stdout, done.stderr
        for released in ["value", "interval"]:
            found.pop(released, None)
        return done.returncode, found, done.stderr

    def test_of_every_mechanism(self):
        with tempfile.TemporaryDirectory() as folder:
            for m in answer("mechanism", "list")["mechanisms"]:
                given = ["mechanism", m["name"], "--epsilon", "1", *self.MORE.get(m["name"], "").split()]
                if m["name"] == "discrete-gaussian":
                    given = ["mechanism", "discrete-gaussian", "--sensitivity", "1", "--rho", "0.1", "--delta", "1e-6"]
                if m["name"] == "randomized-response":
                    given += ["--values", "yes,no"]
                typed = discreet("mechanism", m["name"], "--help").stdout
                option = "--value" if m["input"] == "choice" else f"--{m['input']}"
                in_file = f"{option}-file" in typed or m["name"] == "sparse-vector"
                for neighbours in self.inputs(m):
                    for asked in self.ASKED:
                        for by_file in [False, True]:
                            if (by_file and not in_file) or (not by_file and m["name"] == "sparse-vector"):
                                continue
                            if not by_file and asked[0] in ("--pmf", "--plot"):  # of numbers that are made up
                                continue
                            seen = set()
                            for each in neighbours:
                                words = [option, each]
                                if by_file:
                                    pathlib.Path(folder, "input").write_text("".join(line.replace("=", ",") + "\n" for line in each.split(",") if each))
                                    words = [option + ("" if m["name"] == "sparse-vector" else "-file"), "input"]
                                done = discreet(*given, *words, *asked, "--json", cwd=folder)
                                self.assertIn(done.returncode, (0, 2), f"{m['name']} {words} {asked}: {done.stderr}")
                                if asked == ["--release"]:
                                    self.assertEqual(done.returncode, 0, f"{m['name']} {words}: {done.stderr}")
                                seen.add(repr(self.told(done)))
                            self.assertEqual(len(seen), 1, f"{m['name']} {asked}: {seen}")

    def test_errors_say_where_and_not_what(self):
        secret = "4711-x"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "input")
            for name, more, option in [("smooth-median", ["--range", "0,1"], "values"), ("exponential", ["--sensitivity", 1], "scores"),
                                       ("stable-mode", ["--delta", "1e-3"], "counts"), ("randomized-response", ["--values", "yes,no"], "value")]:
                given = ["mechanism", name, "--epsilon", 1, *more, "--release"]
                for typed in [secret, f"1,{secret}", f"a={secret}", f"a=1,{secret}", "a=-4711"]:
                    done = discreet(*given, f"--{option}", typed)
                    self.assertEqual((done.returncode, "4711" in done.stderr), (2, False), done.stderr)
                if option == "value":
                    continue
                for text in [secret, f"1\n{secret}\n", f"a,1\nb,{secret}\n", "a,1\nb,-4711.5x\n"]:
                    path.write_text(text)
                    done = discreet(*given, f"--{option}-file", path)
                    self.assertEqual((done.returncode, "4711" in done.stderr), (2, False), done.stderr)


class Documentation(unittest.TestCase):
    PAGE = SOURCE / "docs" / "mechanisms.md"

    def test_every_mechanism_has_a_section_with_a_picture(self):
        text = self.PAGE.read_text()
        sections = dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
        for m in answer("mechanism", "list")["mechanisms"]:
            self.assertIn(m["name"], sections)
            self.assertIn(f"pictures/{m['name']}.svg)", sections[m["name"]])

    def test_the_table_is_what_the_program_prints(self):
        table = re.search(r"<!-- mechanisms -->\n(.*?)<!-- /mechanisms -->", self.PAGE.read_text(), re.S).group(1)
        done = discreet("mechanism", "list", "--markdown")
        self.assertEqual((done.returncode, done.stdout), (0, table), done.stderr)

    def test_pictures_are_what_the_program_draws(self):
        commands = re.findall(r"^<!-- (.*discreet mechanism .*) -->$", self.PAGE.read_text(), re.M)
        self.assertGreaterEqual(len(commands), 12)
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                path = re.search(r"--plot (\S+)", command).group(1)
                fresh = pathlib.Path(folder, pathlib.Path(path).name)
                shell = command.replace("ln(2)", "'ln(2)'").replace("ln(3)", "'ln(3)'").replace(path, str(fresh))
                environment = {**os.environ, "PATH": f"{pathlib.Path(DISCREET).parent}:{os.environ['PATH']}"}
                done = subprocess.run(["bash", "-c", shell], env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, command + done.stderr)
                if os.environ.get("DISCREET_REDRAW"):  # after a change that is meant: DISCREET_REDRAW=1 redraws them
                    shutil.copy(fresh, SOURCE / path)
                self.assertEqual(fresh.read_text(), (SOURCE / path).read_text(), command)


if __name__ == "__main__":
    unittest.main()
