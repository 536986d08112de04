"""discreet learn erm and regression: from files, policies and images to models that predict; what they cost and what they refuse."""
import json
import os
import pathlib
import random
import struct
import tempfile
import unittest

from support import answer, discreet


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def path(self, name):
        return str(self.folder / name)

    def refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        said, *more = done.stderr.strip().splitlines()
        self.assertTrue(all(line.startswith("  try: ") for line in more), done.stderr)
        for word in words:
            self.assertIn(word, said)


def ill(count, seed=1):
    """Two classes that two columns tell apart, with categories and fields that are missing."""
    draw = random.Random(seed)
    lines = ["age,pressure,ward,ill"]
    for _ in range(count):
        label = draw.randrange(2)
        age = draw.gauss(60 if label else 35, 9)
        pressure = draw.gauss(150 if label else 115, 12)
        ward = "A" if draw.random() < (0.8 if label else 0.2) else "B"
        lines.append(f"{'' if draw.random() < 0.02 else round(age, 1)},{round(pressure)},{ward},{label}")
    return "\n".join(lines) + "\n"


def costs(count, seed=2):
    draw = random.Random(seed)
    lines = ["age,days,cost"]
    for _ in range(count):
        age, days = draw.uniform(20, 90), draw.uniform(0, 30)
        lines.append(f"{age:.2f},{days:.2f},{100 + 5 * age + 40 * days + draw.gauss(0, 30):.2f}")
    return "\n".join(lines) + "\n"


def idx(sizes, data):
    return bytes([0, 0, 8, len(sizes)]) + b"".join(struct.pack(">I", size) for size in sizes) + data


DECLARED = ["--bounds", "age=0:100,pressure=60:220,ward=A|B", "--classes", "2"]


class Classifiers(InFolder):
    def evaluated(self, model, name):
        return answer("learn", "evaluate", model, self.path(name))

    def test_without_a_file_the_answer_has_the_weights(self):
        """Nothing is paid for and thrown away: what they say of rows is what a model that was written says."""
        train = self.file("train.csv", ill(4000))
        for method in "objective", "output":
            got = answer("learn", "erm", "--train", train, "--label", "ill", *DECLARED, "--method", method, "--epsilon", "4")
            self.assertNotIn("model", got)
            self.assertEqual(list(got["weights"]), ["1"])
            weights = got["weights"]["1"]
            self.assertEqual(set(weights), {"age", "pressure", "ward=A", "ward=B"})
            self.assertIn("above 0 it is 1, else 0", got["weights_mean"])
            right = rows = 0
            for line in ill(2000, seed=9).splitlines()[1:]:
                age, pressure, ward, label = line.split(",")
                score = got["intercepts"]["1"] + weights["age"] * float(age or 50) + weights["pressure"] * float(pressure) + weights[f"ward={ward}"]
                right += (score > 0) == (label == "1")
                rows += 1
            self.assertGreater(right / rows, 0.9, method)
        lines = discreet("learn", "erm", "--train", train, "--label", "ill", *DECLARED, "--epsilon", "4")
        self.assertEqual(lines.returncode, 0, lines.stderr)
        self.assertRegex(lines.stdout, r"(?m)^weights +\{.*pressure.*\n^intercepts +\{")

    def test_no_two_weights_share_a_name(self):
        """Columns whose names look like column=value, or like the intercept: each has its own weight, and it is the right one."""
        draw = random.Random(3)
        rows = [(draw.choice("bd"), draw.randrange(2), draw.randrange(2), draw.randrange(2)) for _ in range(4000)]
        header = "a,a=b,intercept,a\\,y\n"  # y follows the column a=b alone
        train = self.file("train.csv", header + "".join(f"{a},{n},{i},{s},{n}\n" for a, n, i, s in rows))
        names = {"a=b", "a=d", "a\\=b", "intercept", "a\\\\"}
        bounds = "a=b|d,a=b=0:1,intercept=0:1,a\\=0:1"
        got = answer("learn", "erm", "--train", train, "--label", "y", "--bounds", bounds, "--classes", "2", "--epsilon", "8")
        found = got["weights"]["1"]
        self.assertEqual(set(found), names)
        self.assertEqual(max(found, key=lambda name: abs(found[name])), "a\\=b")
        got = answer("learn", "regression", "--train", train, "--label", "y", "--bounds", bounds + ",y=0:1", "--epsilon", "8")
        self.assertEqual(set(got["weights"]), names)
        self.assertAlmostEqual(got["weights"]["a\\=b"], 1, delta=0.2)
        self.assertAlmostEqual(got["weights"]["intercept"], 0, delta=0.2)

    def test_three_classes_without_a_file(self):
        rows = "\n".join(f"{i % 3 * 10 + i % 7},{'abc'[i % 3]}" for i in range(3000))
        train = self.file("three.csv", "x,kind\n" + rows + "\n")
        for method in "objective", "output":
            got = answer("learn", "erm", "--train", train, "--label", "kind", "--bounds", "x=0:30", "--classes", "a,b,c", "--method", method, "--epsilon", "8")
            self.assertEqual(list(got["weights"]), ["a", "b", "c"])
            weights = got["weights"]
            best = {x: max(weights, key=lambda k: got["intercepts"][k] + weights[k]["x"] * x) for x in (1, 25)}
            self.assertEqual(best, {1: "a", 25: "c"}, method)

    def test_any_rows_get_an_answer(self):
        """Missing fields, a lone class, two rows, columns by the dozen of which nothing is declared."""
        wide = "".join(f"c{i}," for i in range(60)) + "y\n" + "".join("1," * 60 + f"{i % 2}\n" for i in range(50))
        for name, content, label, options in [
            ("text.csv", "a,b\n1,yes\n,no\nx,yes\n3,\n", "b", ["--bounds", "a=0:5", "--classes", "no,yes"]),
            ("lone.csv", "a,y\n" + "1,1\n" * 40, "y", ["--bounds", "a=0:5", "--classes", "2"]),
            ("two.csv", "a,y\n1,0\n2,1\n", "y", ["--bounds", "a=0:5", "--classes", "2"]),
            ("wide.csv", wide, "y", ["--classes", "2"]),
        ]:
            train = self.file(name, content)
            for method in "objective", "output":
                got = answer("learn", "erm", "--train", train, "--label", label, *options, "--method", method, "--epsilon", "1")
                self.assertEqual(set(got["intercepts"]), set(got["weights"]), name)
            if name == "two.csv":
                got = answer("learn", "regression", "--train", train, "--label", "y", "--bounds", "a=0:5,y=0:1", "--epsilon", "1")
                self.assertIn("a", got["weights"])

    def test_every_method_learns_and_is_evaluated(self):
        train, model = self.file("train.csv", ill(4000)), self.path("ill.model")
        self.file("test.csv", ill(1000, seed=9))
        for options in (["--method", "objective"], ["--method", "output"], ["--method", "objective", "--loss", "huber"], ["--method", "output", "--loss", "huber"]):
            with self.subTest(options=options):
                got = answer("learn", "erm", "--train", train, "--label", "ill", *DECLARED, *options, "--epsilon", "2", "-o", model)
                self.assertEqual(got["classes"], ["0", "1"])
                self.assertEqual((got["delta"], got["measured"], got["examples"], got["examples_declared"]), (1e-5, "", 4000, False))
                self.assertLessEqual(got["epsilon"], 2)
                self.assertGreater(got["epsilon"], 1.9)
                scored = self.evaluated(model, "test.csv")
                self.assertEqual(scored["examples"], 1000)
                self.assertGreater(scored["accuracy"], 0.9)

    def test_what_is_not_declared_is_measured(self):
        train, model = self.file("train.csv", ill(6000)), self.path("ill.model")
        self.file("test.csv", ill(1000, seed=9))
        got = answer("learn", "erm", "--train", train, "--label", "ill", "--features", "age,pressure", "--epsilon", "2", "-o", model)
        self.assertEqual(got["measured"], "the bounds of 2 columns, the classes of ill")
        self.assertIn("gaussian", got["event"])
        self.assertEqual(got["classes"], ["0", "1"])
        self.assertLessEqual(got["epsilon"], 2)
        self.assertGreater(self.evaluated(model, "test.csv")["accuracy"], 0.85)

    def test_the_event_costs_what_it_says(self):
        train = self.file("train.csv", ill(500))
        for method in "objective", "output":
            for options in DECLARED, ["--features", "pressure", "--classes", "2"]:  # all of it declared, or a range to be measured
                got = answer("learn", "erm", "--train", train, "--label", "ill", *options, "--method", method, "--epsilon", "1", "-o", self.path("any.model"))
                delta = answer("account", "delta", "--epsilon", "1", got["event"])["delta"]
                self.assertLessEqual(delta["upper"], 1.01e-5, got["event"])

    def test_noise_differs_from_run_to_run(self):
        train, models = self.file("train.csv", ill(300)), set()
        for i in range(2):
            answer("learn", "erm", "--train", train, "--label", "ill", *DECLARED, "--epsilon", "1", "-o", self.path(f"{i}.model"))
            models.add((self.folder / f"{i}.model").read_bytes())
        self.assertEqual(len(models), 2)

    def test_several_classes_and_names(self):
        draw, lines = random.Random(3), ["x,y,kind"]
        for _ in range(6000):
            kind = draw.randrange(3)
            lines.append(f"{draw.gauss((0, 3, 0)[kind], 0.5):.3f},{draw.gauss((0, 0, 3)[kind], 0.5):.3f},{('red', 'green', 'blue')[kind]}")
        train, model = self.file("train.csv", "\n".join(lines) + "\n"), self.path("kind.model")
        for method in "objective", "output":
            got = answer("learn", "erm", "--train", train, "--label", "kind", "--classes", "red,green,blue", "--bounds", "x=-2:5,y=-2:5", "--method", method, "--epsilon", "4",
                         "-o", model)
            self.assertEqual(got["classes"], ["red", "green", "blue"])
            self.assertGreater(self.evaluated(model, "train.csv")["accuracy"], 0.8)
            said = discreet("learn", "predict", model, train)
            self.assertEqual(said.returncode, 0, said.stderr)

    def test_images(self):
        draw, pictures, labels = random.Random(4), b"", b""
        for _ in range(3000):
            label = draw.randrange(2)
            labels += bytes([label])
            pictures += bytes(draw.randrange(150, 256) if (i % 8 < 4) == bool(label) else draw.randrange(0, 60) for i in range(64))
        images = self.file("train-images-idx3-ubyte", idx([3000, 8, 8], pictures))
        self.file("train-labels-idx1-ubyte", idx([3000], labels))
        got = answer("learn", "erm", "--train", images, "--epsilon", "2", "--radius", "6", "-o", self.path("m"))
        self.assertEqual((got["classes"], got["measured"]), (["0", "1"], "the classes of the labels"))
        self.assertGreater(answer("learn", "evaluate", self.path("m"), images)["accuracy"], 0.95)
        self.refused(discreet("learn", "erm", "--train", self.file("cut-images", idx([4, 2, 2], b"abc")), "--labels", self.file("l", idx([4], b"\0\1\0\1")), "--epsilon", "1"), 2, "cut-images")

    def test_rows_that_hold_anything_change_nothing_but_themselves(self):
        text = ill(300) + "what,\"a\nb\",C,yes\n,,,\n1e999,nan,A,1\n\xff,1,A,0\n"
        train = self.file("train.csv", text.encode("latin-1"))
        done = discreet("learn", "erm", "--train", train, "--label", "ill", *DECLARED, "--epsilon", "1", "-o", self.path("any.model"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)


class Regressions(InFolder):
    def test_weights_come_in_the_columns_own_units(self):
        train, model = self.file("train.csv", costs(20000)), self.path("cost.model")
        got = answer("learn", "regression", "--train", train, "--label", "cost", "--bounds", "age=20:90,days=0:30,cost=0:2000", "--epsilon", "2", "-o", model)
        self.assertAlmostEqual(got["weights"]["age"], 5, delta=0.8)
        self.assertAlmostEqual(got["weights"]["days"], 40, delta=2)
        self.assertAlmostEqual(got["intercept"], 100, delta=80)
        self.assertEqual(got["ridge"], 0)
        scored = answer("learn", "evaluate", model, train)
        self.assertEqual(scored["examples"], 20000)
        said = discreet("learn", "predict", model, train)
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_bounds_are_measured_where_none_are_declared(self):
        train = self.file("train.csv", costs(20000))
        got = answer("learn", "regression", "--train", train, "--label", "cost", "--epsilon", "2")
        self.assertEqual(got["measured"], "the bounds of 3 columns")
        self.assertAlmostEqual(got["weights"]["days"], 40, delta=6)
        self.assertLessEqual(got["epsilon"], 2)

    def test_jsonl_needs_names(self):
        rows = "".join(json.dumps({"x": i % 10, "y": 2 * (i % 10)}) + "\n" for i in range(5000))
        train = self.file("train.jsonl", rows)
        got = answer("learn", "regression", "--train", train, "--label", "y", "--features", "x", "--bounds", "x=0:9,y=0:18", "--epsilon", "2")
        self.assertAlmostEqual(got["weights"]["x"], 2, delta=0.1)
        self.refused(discreet("learn", "regression", "--train", train, "--label", "y", "--epsilon", "2"), 2, "--features")


class Policies(InFolder):
    POLICY = """[policy]
name = "clinic"
unit = "patient"
budget = { epsilon = 2, delta = 1e-4 }
[tables.patients]
source = "patients.csv"
key = "id"
columns.age = { range = [0, 100] }
columns.pressure = { range = [60, 220] }
columns.ward = { values = ["A", "B"] }
columns.ill = { type = "integer", values = [0, 1] }
"""

    def setUp(self):
        super().setUp()
        lines = ill(2000).splitlines()
        rows = ["id," + lines[0]]
        for i, line in enumerate(lines[1:]):
            rows += [f"{i},{line}"] * (1 + i % 3)
        self.file("patients.csv", "\n".join(rows) + "\n")
        self.policy = self.file("clinic.toml", self.POLICY)
        self.environment = {**os.environ, "XDG_STATE_HOME": self.path("state"), "HOME": str(self.folder)}

    def erm(self, *options, epsilon="1"):
        out = [] if "-o" in options else ["-o", self.path("any.model")]
        return discreet("learn", "erm", "--policy", self.policy, "--train", "patients", "--label", "ill", "--epsilon", epsilon, *options, *out, "--json", env=self.environment)

    def spent(self):
        done = discreet("budget", "show", "--policy", self.policy, "--json", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_training_spends_from_the_same_budget(self):
        done = self.erm("--examples", "2000", "-o", self.path("m"))
        self.assertEqual(done.returncode, 0, done.stderr)
        got = json.loads(done.stdout)
        self.assertIn("receipt", got)
        self.assertEqual((got["examples"], got["examples_declared"], got["measured"]), (2000, True, ""))
        self.refused(self.erm("--examples", "2000", epsilon="1.5"), 4, "1")
        self.assertEqual(self.erm("--examples", "2000").returncode, 0)
        self.refused(self.erm("--examples", "2000", epsilon="0.1"), 4)

    def test_no_two_weights_share_a_name_whatever_values_a_policy_lists(self):
        """Column a with value b=c, column a=b with value c."""
        self.file("pairs.csv", "id,a,a=b,ill\n" + "".join(f"{i},{'b=c' if i % 3 else 'd'},{'c' if i % 5 else 'e'},{i % 2}\n" for i in range(900)))
        pairs = self.POLICY.split("[tables")[0] + '[tables.pairs]\nsource = "pairs.csv"\nkey = "id"\ncolumns.a = { values = ["b=c", "d"] }\n'
        pairs += 'columns."a=b" = { values = ["c", "e"] }\ncolumns.ill = { type = "integer", values = [0, 1] }\n'
        done = discreet("learn", "erm", "--policy", self.file("pairs.toml", pairs), "--train", "pairs", "--label", "ill", "--epsilon", "1", "--examples", "900", "--json", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(json.loads(done.stdout)["weights"]["1"]), {"a=b=c", "a=d", "a\\=b=c", "a\\=b=e"})

    def test_the_number_of_units_is_private(self):
        self.refused(self.erm(), 2, "--examples")

    def test_an_unwritable_file_is_found_out_before_anything_is_spent(self):
        self.refused(self.erm("--examples", "2000", "-o", self.path("no/such/folder")), 2, "--out")
        self.assertEqual(self.erm("--examples", "2000", epsilon="2").returncode, 0)  # all of it is left

    def test_what_public_numbers_refuse_is_refused_before_anything_is_spent(self):
        """Each of these is known without a row."""
        kinds = ["--bounds", "ill=0:1", "--examples", "2000", "-o", self.path("m"), "--json"]
        for arguments, word in ((["erm", "--epsilon", "0.00001", "--delta", "1e-9"], "--epsilon"), (["erm", "--epsilon", "1", "--lambda", "0.01"], "--lambda"),
                                (["regression", "--epsilon", "0.0003"], "--epsilon"), (["regression", "--epsilon", "0.0009", "--delta", "1e-9"], "--epsilon")):
            with self.subTest(arguments=arguments):
                options = kinds if arguments[0] == "regression" else kinds[2:]
                done = discreet("learn", arguments[0], "--policy", self.policy, "--train", "patients", "--label", "ill", *arguments[1:], *options, env=self.environment)
                self.refused(done, 2, word)
                self.assertEqual(self.spent()["releases"], 0)
        done = discreet("learn", "erm", "--policy", self.policy, "--train", "patients", "--label", "ill", "--epsilon", "1", "--examples", "2000", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^weights +\{")  # paid for, and not thrown away
        self.assertEqual(self.spent()["releases"], 1)

    def test_the_number_that_is_declared_may_be_far_off(self):
        """The true one is measured: no answer tells on which side of it a declaration was."""
        for examples in "1", "1000000000":
            done = self.erm("--examples", examples)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("gaussian(sigma=", json.loads(done.stdout)["event"].split("gaussian(sigma=1024)")[1])

    def test_refusals_name_the_place(self):
        done = discreet("learn", "erm", "--policy", self.policy, "--train", "patient", "--label", "ill", "--epsilon", "1", "--examples", "9", env=self.environment)
        self.refused(done, 2, "patients")


class Refusals(InFolder):
    def test_each_names_its_option(self):
        train = self.file("train.csv", ill(50))
        for options, word in ((["--label", "il"], "--label"), ([], "--label"), (["--label", "ill", "--bounds", "age=5"], "--bounds"),
                              (["--label", "ill", "--bounds", "agee=0:1"], "--bounds"), (["--label", "ill", "--classes", "1"], "--classes"),
                              (["--label", "ill", "--classes", "none"], "--classes"), (["--label", "ill", "--method", "both"], "--method"),
                              (["--label", "ill", "--loss", "hinge"], "--loss"), (["--label", "ill", "--lambda", "0"], "--lambda"),
                              (["--label", "ill", "--delta", "0"], "--delta"), (["--label", "ill", "--features", "ward,ill"], "--features"),
                              (["--label", "ill", "--radius", "0"], "--radius"), (["--label", "ill", "--examples", "0"], "--examples"),
                              (["--label", "ill", "--lambda", "0.01", "--classes", "2", "--bounds", "age=0:1,pressure=0:1,ward=A|B"], "--lambda")):
            with self.subTest(options=options):
                self.refused(discreet("learn", "erm", "--train", train, "--epsilon", "1", *options), 2, word)
        self.refused(discreet("learn", "erm", "--train", self.path("none.csv"), "--label", "x", "--epsilon", "1"), 1, "none.csv")
        self.refused(discreet("learn", "regression", "--train", train, "--label", "pressure", "--classes", "2", "--epsilon", "1"), 2, "--classes")


if __name__ == "__main__":
    unittest.main()
