"""Values that nobody listed: truncated histograms, the selection of groups, the best k, as a user meets them."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BUILD, SOURCE, answer, discreet

HISTOGRAM = ["mechanism", "truncated-histogram", "--epsilon", "1", "--delta", "1e-6"]
SELECTION = ["mechanism", "partition-selection", "--epsilon", "0.5", "--delta", "0.02"]


def threshold(epsilon, delta, k=1):
    """1 + T, T the least integer ≥ 1 with α^T/(1+α) ≤ δ/k, α = e^(−ε/k)."""
    alpha, t = math.exp(-epsilon / k), 1
    while alpha**t / (1 + alpha) > delta / k:
        t += 1
    return 1 + t


class Histogram(unittest.TestCase):
    def test_only_what_reaches_the_threshold_is_shown(self):
        for _ in range(10):
            found = answer(*HISTOGRAM, "--counts", "tea=500,milk=3,absinthe=1", "--release")
            self.assertEqual(list(found["value"]), ["tea"])
            self.assertEqual(found["guarantee"], {"epsilon": 1, "delta": 1e-6, "relation": "add-remove"})
            self.assertLessEqual(abs(found["value"]["tea"] - 500), 60)
            self.assertEqual(found["interval"]["upper"]["tea"] - found["value"]["tea"], 3)

    def test_thresholds(self):
        for epsilon, delta, k in [(1, 1e-6, 1), (0.1, 1e-6, 1), (3, 1e-6, 1), (1, 1e-6, 3), (0.5, 0.02, 2)]:
            found = answer("mechanism", "truncated-histogram", "--epsilon", epsilon, "--delta", delta, "--bins-per-unit", k, "--cost")
            self.assertEqual(found["threshold"], threshold(epsilon, delta, k))
        replaced = answer(*HISTOGRAM, "--relation", "substitute", "--cost")
        self.assertEqual(replaced["threshold"], threshold(1, 1e-6, 2))

    def test_distribution(self):
        found = answer(*HISTOGRAM, "--counts", "milk=14", "--pmf")
        rows = {json.dumps(row["output"]): row["probability"] for row in found["pmf"]}
        alpha = math.exp(-1)
        self.assertAlmostEqual(rows["null"], 1 - alpha / (1 + alpha), places=12)
        self.assertAlmostEqual(rows["16"], (1 - alpha) / (1 + alpha) * alpha**2, places=12)
        self.assertNotIn("14", rows)
        alone = answer(*HISTOGRAM, "--counts", "absinthe=1", "--pmf")["pmf"]
        self.assertLessEqual(1 - alone[0]["probability"], 1e-6)

    def test_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("tea,500\n\"green, tea\",400\n")
            file.flush()
            found = answer(*HISTOGRAM, "--counts-file", file.name, "--release")
        self.assertEqual(set(found["value"]), {"tea", "green, tea"})

    def test_files_that_are_hard_to_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "counts")
            path.write_bytes(b"\xef\xbb\xbftea,500\nmilk,400\n")
            self.assertEqual(set(answer(*HISTOGRAM, "--counts-file", path, "--release")["value"]), {"tea", "milk"})
            path.write_bytes(b"\xef\xbb\xbfdrink,count\ntea,500\n")
            self.assertEqual(set(answer(*HISTOGRAM, "--counts-file", path, "--release")["value"]), {"tea"})
            # the place is named, never what stands there: it may be somebody's
            for text, said in [("tea=120\n", 'line 1 must be "label,number", such as tea,120'), ("120\n", 'line 1 must be "label,number", such as tea,120'),
                               ("drink,n\ntea,5\n", "line 1 isn't a number. Write numbers such as 500, 3.01 or 1/3 (is the first line a header? remove it)"),
                               ("tea,5\nmilk,n\n", "line 2 isn't a number. Write numbers such as 500, 3.01 or 1/3")]:
                path.write_text(text)
                done = discreet(*HISTOGRAM, "--counts-file", path, "--release")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
        self.assertIn("a first line that ends in score, count, answer, value or number is a header", " ".join(discreet(*HISTOGRAM[:2], "--help").stdout.split()))

    def test_an_empty_histogram_has_no_interval(self):
        done = discreet(*HISTOGRAM, "--counts", "tea=0", "--release")
        self.assertEqual(done.stdout, "{}\ncost: ε = 1, δ = 0.000001, add-remove\n")
        self.assertIn("95 % sure: {", discreet(*HISTOGRAM, "--counts", "tea=500", "--release").stdout)

    def test_nothing_is_no_label(self):
        text = discreet("mechanism", "stable-mode", "--counts", "nothing=120", "--epsilon", 1, "--delta", "1e-6", "--pmf").stdout
        self.assertEqual([line.split()[0] for line in text.splitlines()[2:4]], ["nothing", "(nothing)"])

    def test_accuracy(self):
        one = answer(*HISTOGRAM, "--accuracy", "0.05")
        self.assertEqual((one["bound"], one["shown_from"], one["threshold"]), (3, 17, 15))
        self.assertGreaterEqual(one["deck_bound"], one["shown_from"] - 1)
        # how many bins there are is private
        many = answer(*HISTOGRAM, "--counts", ",".join(f"v{i}=9" for i in range(100)), "--accuracy", "0.05")
        self.assertEqual(many, one)


class Selection(unittest.TestCase):
    def test_published_probability(self):
        found = answer(*SELECTION, "--users", "8", "--pmf")
        self.assertAlmostEqual(found["keep_probability"], 0.86807080625, places=9)
        self.assertEqual(answer(*SELECTION, "--users", "15", "--strategy", "optimal", "--pmf")["keep_probability"], 1)

    def test_thresholds(self):
        optimal = answer(*SELECTION, "--cost")  # as if its noise had to reach what shows every other group
        self.assertEqual(optimal["threshold"], optimal["shown_half_the_time_from"])
        self.assertEqual(answer(*SELECTION, "--strategy", "laplace", "--cost")["threshold"], threshold(0.5, 0.02))
        self.assertEqual(answer(*SELECTION, "--strategy", "laplace", "--min-units", "10", "--cost")["threshold"], threshold(0.5, 0.02) + 9)
        many = [answer(*SELECTION, "--strategy", name, "--bins-per-unit", "100", "--cost")["threshold"] for name in ["laplace", "gaussian"]]
        self.assertLess(many[1], many[0])

    def test_the_optimal_one_is(self):
        for users in range(1, 15):
            chances = [answer(*SELECTION, "--users", users, "--strategy", name, "--pmf")["keep_probability"] for name in ["optimal", "laplace", "gaussian"]]
            self.assertEqual(max(chances), chances[0])

    def test_release(self):
        self.assertEqual(answer(*SELECTION, "--users", "1000", "--release")["value"], "shown")
        self.assertIsNone(answer(*SELECTION, "--users", "0", "--release")["value"])

    def test_mistakes(self):
        for arguments, message in [(["--strategy", "best", "--cost"], "accepted is optimal, laplace"), (["--users", "2.5", "--release"], "--users: found a number that isn't whole; accepted is a whole number"),
                                   (["--bins-per-unit", "0", "--cost"], "--bins-per-unit"), (["--users", "-1", "--release"], "--users: found a number below 0; accepted is a whole number")]:
            done = discreet(*SELECTION, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)


class TopK(unittest.TestCase):
    def test_the_best_are_named_in_order(self):
        scores = ["--scores", "900,40,3,500", "--labels", "tea,milk,mate,coffee", "--sensitivity", "1", "--monotone", "--epsilon", "1"]
        self.assertEqual(answer("mechanism", "top-k", *scores, "--k", "2", "--release")["value"], ["tea", "coffee"])
        found = answer("mechanism", "top-k", *scores, "--k", "3", "--pmf")
        self.assertEqual(len(found["pmf"]), 24)
        self.assertAlmostEqual(sum(row["probability"] for row in found["pmf"]), 1, places=12)
        done = discreet("mechanism", "top-k", *scores, "--k", "5", "--release")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--k: found 5", done.stderr)


class Compare(unittest.TestCase):
    def test_lines_are_what_the_mechanisms_say(self):
        found = answer("mechanism", "compare", "selection", "--epsilon", "0.5", "--delta", "0.02")
        lines = {line["name"]: line["y"] for line in found["lines"]}
        self.assertEqual(found["x"][7], 8)
        self.assertAlmostEqual(lines["optimal"][7], 0.86807080625, places=9)
        mode = answer("mechanism", "compare", "mode", "--epsilon", "1", "--delta", "1e-6", "--domains", "10")
        stable = answer("mechanism", "stable-mode", "--counts", "a=12", "--epsilon", "1", "--delta", "1e-6", "--pmf")
        self.assertEqual((mode["lines"][0]["name"], mode["x"][11]), ("stable mode, any number of values", 12))
        self.assertAlmostEqual(mode["lines"][0]["y"][11], stable["release_probability"], places=12)
        exponential = answer("mechanism", "exponential", "--scores", "3" + ",0" * 9, "--sensitivity", "1", "--monotone", "--epsilon", "1", "--pmf")
        self.assertAlmostEqual(mode["lines"][1]["y"][2], exponential["pmf"][0]["probability"], places=12)

    def test_median(self):
        arguments = ["mechanism", "compare", "median", "--epsilon", "1", "--delta", "1e-6"]
        by_rows, by_epsilon = answer(*arguments, "--range", "0,100"), answer(*arguments, "--range", "0,100", "--against", "epsilon")
        self.assertEqual((by_rows["x_label"], by_epsilon["x_label"]), ("rows", "ε"))
        for found in [by_rows, by_epsilon]:
            lines = {line["name"]: line["y"] for line in found["lines"]}
            self.assertLess(lines["exponential, by rank"][-1], lines["Laplace, for the whole range"][-1] / 100)
            self.assertLess(lines["smooth sensitivity, Laplace noise"][-1], lines["Laplace, for the whole range"][-1] / 100)
        for extra, message in [(["--range", "5,5"], "--range"), (["--range", "0,1", "--against", "time"], "accepted is rows, epsilon"), (["--range", "0,1", "--rows", "0"], "--rows")]:
            done = discreet(*arguments, *extra)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_a_picture_and_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/selection.svg"
            done = discreet("mechanism", "compare", "selection", "--epsilon", "1", "--delta", "1e-6", "--plot", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            with open(path) as file:
                self.assertIn("optimal", file.read())
        self.assertIn("gaussian", discreet("mechanism", "compare", "selection", "--epsilon", "1", "--delta", "1e-6").stdout)

    def test_mistakes(self):
        for arguments, message in [(["mode", "--epsilon", "1", "--delta", "1e-6", "--domains", "1"], "--domains"), (["mode", "--epsilon", "1"], "--delta"),
                                   (["selection", "--epsilon", "0", "--delta", "1e-6"], "--epsilon"), (["selection", "--epsilon", "1", "--delta", "0"], "--delta"),
                                   (["selection", "--epsilon", "1", "--delta", "1e-6", "--plot", "x.png"], "--plot")]:
            done = discreet("mechanism", "compare", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)


class Documentation(unittest.TestCase):
    def test_pictures_are_what_the_program_draws(self):
        commands = re.findall(r"^<!-- discreet (mechanism compare .*) -->$", (SOURCE / "docs" / "gap.md").read_text(), re.M)
        self.assertGreaterEqual(len(commands), 5)
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                words = command.split()
                path, words[-1] = words[-1], f"{folder}/picture.svg"
                self.assertEqual(discreet(*words).returncode, 0, command)
                if os.environ.get("DISCREET_REDRAW"):  # after a change that is meant: DISCREET_REDRAW=1 redraws them
                    shutil.copy(words[-1], SOURCE / path)
                self.assertEqual(pathlib.Path(words[-1]).read_text(), (SOURCE / path).read_text(), command)

    def test_the_examples_print_what_the_page_shows(self):
        page = (SOURCE / "docs" / "gap.md").read_text()
        for name in ["gap_choice", "point_function"]:
            done = subprocess.run([BUILD / "tests" / f"example-{name}"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            told, table = done.stdout.split("\n", 1)
            self.assertTrue(told)
            self.assertIn("```\n" + table + "```", page)

    def test_the_table_of_strategies(self):
        page = (SOURCE / "docs" / "gap.md").read_text()
        rows = re.findall(r"^\| (\d+) groups? \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M)
        self.assertEqual(len(rows), 4)
        for groups, *written in rows:
            found = [answer("mechanism", "partition-selection", "--epsilon", "1", "--delta", "1e-6", "--bins-per-unit", groups, "--strategy", name, "--cost")["shown_half_the_time_from"]
                     for name in ["optimal", "laplace", "gaussian"]]
            self.assertEqual(found, [int(number) for number in written])


if __name__ == "__main__":
    unittest.main()
