"""discreet learn sgd, evaluate, predict: what they take, tell and leave behind."""
import json
import math
import pathlib
import random
import unittest

from learn_case import BOUNDS, SPEND, LearningCase, clinic, pictures
from support import answer, discreet


class Learning(LearningCase):
    # -- what it learns and tells

    def test_it_learns_and_tells_what_it_cost(self):
        told = answer(*self.sgd())
        self.assertEqual(list(told)[-5:], ["epsilon", "delta", "sigma", "steps", "train_loss"])
        self.assertLessEqual(told["epsilon"], 2)
        self.assertGreater(told["epsilon"], 1.9)
        self.assertEqual((told["delta"], told["steps"], told["examples"]), (1e-5, 150, 3000))
        self.assertEqual(told["measured"], "")
        again = answer("account", "epsilon", "--delta", "1e-5", f"poisson(200/3000, gaussian(sigma={told['sigma']}))*150")
        self.assertAlmostEqual(again["epsilon"]["upper"], told["epsilon"], places=2)
        fresh = self.folder / "fresh.csv"
        clinic(fresh, 1000, seed=2)
        scored = answer("learn", "evaluate", self.model, fresh)
        self.assertEqual(list(scored), ["accuracy", "loss", "examples"])
        self.assertGreater(scored["accuracy"], 0.85)
        self.assertEqual(scored["examples"], 1000)
        self.assertFalse(pathlib.Path(self.model + ".checkpoint").exists())

    def test_nothing_has_to_be_declared(self):
        rows = self.folder / "numbers.csv"
        rows.write_text("\n".join(",".join(line.split(",")[i] for i in (0, 1, 3)) for line in self.rows.read_text().splitlines()) + "\n")
        told = answer("learn", "sgd", "--train", rows, "--label", "ill", "--model", "logistic", *SPEND, "--lot", "200", "--batch", "100", "--clip", "1", "--epochs", "10", "-o", self.model)
        self.assertIn("classes of ill", told["measured"])
        self.assertIn("gaussian(sigma=", told["event"])
        self.assertLessEqual(told["epsilon"], 2)
        self.assertGreater(answer("learn", "evaluate", self.model, rows)["accuracy"], 0.8)

    def test_every_kind_of_model(self):
        for model in "logistic", "mlp:16,8", "layers:linear:16-layernorm-tanh":
            with self.subTest(model=model):
                out = str(self.folder / "any")
                answer(*self.sgd("--model", model, out=out))
                self.assertGreater(answer("learn", "evaluate", out, self.rows)["accuracy"], 0.75)

    def test_a_number_is_predicted_in_its_own_units(self):
        told = answer("learn", "sgd", "--train", self.rows, "--label", "cost", "--model", "linear", "--features", "age,dose", "--bounds", "age=0:100,dose=0:10,cost=0:1500", *SPEND, "--lot", "300", "--epochs", "20", "-o", self.model)
        self.assertNotIn("train_accuracy", told)
        scored = answer("learn", "evaluate", self.model, self.rows)
        self.assertEqual(list(scored), ["rmse", "loss", "examples"])
        self.assertLess(scored["rmse"], 250)  # of values from 0 to 1500
        lines = discreet("learn", "predict", self.model, self.rows).stdout.splitlines()
        self.assertEqual((lines[0], len(lines)), ("cost", 3001))
        self.assertTrue(all(-500 < float(line) < 2000 for line in lines[1:]))

    def test_pictures(self):
        pictures(self.folder, "train", 1500)
        pictures(self.folder, "test", 300, seed=2)
        for model in "cnn", "scatter", "mlp:32":
            with self.subTest(model=model):
                told = answer("learn", "sgd", "--train", self.folder / "train-images-idx3-ubyte", "--model", model, "--classes", "2", "--epsilon", "8", "--delta", "1e-5", "--lot", "150", "--epochs", "10", "-o", self.model)
                self.assertLessEqual(told["epsilon"], 8)
                self.assertGreater(answer("learn", "evaluate", self.model, self.folder / "test-images-idx3-ubyte")["accuracy"], 0.9)

    def test_predictions_are_in_the_order_of_the_rows(self):
        answer(*self.sgd())
        new = self.folder / "new.csv"
        new.write_text("age,dose,ward\n1,0.1,A\n99,9.9,B\n2,0.2,B\n")
        self.assertEqual(discreet("learn", "predict", self.model, new).stdout, "ill\n0\n1\n0\n")
        told = answer("learn", "predict", self.model, new, "--probabilities")
        self.assertEqual(told["predictions"], ["0", "1", "0"])
        for row in told["probabilities"]:
            self.assertAlmostEqual(sum(row), 1, places=6)
        out = self.folder / "out.csv"
        self.assertEqual(discreet("learn", "predict", self.model, new, "-o", out).stdout, "")
        self.assertEqual(out.read_text(), "ill\n0\n1\n0\n")

    # -- noise, schedules, reports

    def test_the_cost_is_known_before(self):
        planned = answer(*self.sgd("--explain"))
        self.assertFalse(pathlib.Path(self.model).exists())
        told = answer(*self.sgd())
        for key in "epsilon", "delta", "sigma", "steps", "event":
            self.assertEqual(planned[key], told[key])

    def test_noise_instead_of_epsilon(self):
        arguments = self.sgd("--noise", "1.5")
        at = arguments.index("--epsilon")
        told = answer(*arguments[:at], *arguments[at + 2:])
        self.assertEqual(told["sigma"], 1.5)
        self.assertAlmostEqual(told["epsilon"], answer("account", "epsilon", "--delta", "1e-5", told["event"])["epsilon"]["upper"], places=6)

    def test_schedules_and_layers_are_accounted(self):
        told = answer(*self.sgd("--model", "mlp:8", "--noise", "2->1", "--clip", "1->0.5:cosine", "--learning-rate", "0.5->0.1:exponential", "--layer-clips", "1,0.5", "--layer-noise", "1,2", "--optimiser", "adam", "--average", "tail"))
        self.assertLessEqual(told["epsilon"], 2)
        self.assertGreater(len(told["sigmas"]), 5)
        self.assertGreater(told["sigmas"][0]["sigma"], 1.8 * told["sigmas"][-1]["sigma"])
        self.assertAlmostEqual(told["epsilon"], answer("account", "epsilon", "--delta", "1e-5", told["event"])["epsilon"]["upper"], places=6)

    def test_without_sampling(self):
        told = answer(*self.sgd("--no-sampling", "--epochs", "4"))
        self.assertNotIn("poisson", told["event"])
        self.assertLessEqual(told["epsilon"], 2)

    def test_principal_components_are_paid_for(self):
        told = answer(*self.sgd("--pca", "4"))
        self.assertTrue(told["event"].startswith("compose(gaussian(sigma="), told["event"])
        self.assertLessEqual(told["epsilon"], 2)
        # All directions of four columns are left: what tells classes apart is among them, whatever the noise.
        self.assertGreater(answer("learn", "evaluate", self.model, self.rows)["accuracy"], 0.7)

    def test_reports_and_curves(self):
        held = self.folder / "held.csv"
        clinic(held, 500, seed=3)
        report, plot = self.folder / "report.json", self.folder / "curves.svg"
        told = answer(*self.sgd("--validate", held, "--report", report, "--plot", plot))
        kept = json.loads(report.read_text())
        self.assertEqual({key: kept[key] for key in told}, told)
        curves = kept["curves"]
        self.assertEqual(curves["epsilon"][-1], {"step": told["steps"], "epsilon": told["epsilon"]})
        spent = [point["epsilon"] for point in curves["epsilon"]]
        self.assertEqual(spent, sorted(spent))
        self.assertGreater(curves["validation"][-1]["accuracy"], 0.85)
        self.assertAlmostEqual(told["validation_accuracy"], answer("learn", "evaluate", self.model, held)["accuracy"], places=9)
        self.assertIn("<svg", plot.read_text())
        self.assertIn("Privacy spent", plot.read_text())

    def test_losses_are_noisy_and_say_how_much(self):
        """The same rows, twice: the losses differ, by what is said."""
        told = [answer(*self.sgd("--epochs", "1", "--learning-rate", "1e-9", out=str(self.folder / f"m{i}"))) for i in range(2)]
        self.assertNotEqual(told[0]["train_loss"], told[1]["train_loss"])
        for each in told:
            self.assertGreater(each["train_loss_deviation"], 0.005)

    def test_validation_may_have_its_labels_elsewhere(self):
        pictures(self.folder, "train", 200)
        pictures(self.folder, "held", 50, seed=2)
        labels = self.folder / "elsewhere"
        (self.folder / "held-labels-idx1-ubyte").rename(labels)
        command = ["learn", "sgd", "--train", self.folder / "train-images-idx3-ubyte", "--classes", "2", "--lot", "20", "--steps", "2", *SPEND, "-o", self.model,
                   "--validate", self.folder / "held-images-idx3-ubyte"]
        done = discreet(*command, "--json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--validate-labels", done.stderr)
        report = self.folder / "report.json"
        answer(*command, "--validate-labels", labels, "--report", report)
        self.assertIn("validat", report.read_text())

    # -- a policy's budget

    def test_what_public_numbers_refuse_costs_nothing(self):
        arguments, show, sgd = self.clinic_policy()
        for more, word in [
            (["--pca", "60"], "--pca"),
            (["--pca", "2", "--pca-noise", "1000000"], "--pca-noise"),
            (["--layer-clips", "1,2,3"], "--layer-clips"),
            (["--model", "mlp:4", "--layer-clips", "1,1", "--layer-noise", "1000000,1"], "--layer-noise"),
            (["--clip", "1e-12", "--layer-clips", "4e-21"], "--clip"),
            (["--validate", self.folder / "nofile.csv"], "nofile.csv"),
            (["--no-sampling", "--clip", "1->0.5"], "--clip"),
            (["--model", "layers:embed:5:2"], "--model"),
            (["--model", "layers:conv:4:3"], "--model"),
            (["--model", "scatter"], "--model"),
        ]:
            with self.subTest(more=more):
                done = sgd("1", "--examples", "3000", *more)
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertIn(word, done.stderr)
                told = show()
                self.assertEqual((told["releases"], told["unfinished"]), (0, 0))

    def test_training_spends_from_the_policys_budget(self):
        arguments, show, sgd = self.clinic_policy()
        self.refused(sgd("1"), "--examples")
        done = sgd("1", "--examples", "3000")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertIn("receipt", told)
        self.assertIn("learn sgd logistic ill", discreet("budget", "history", "--policy", self.policy, env=self.environment).stdout)
        self.assertEqual(list(told)[-5:], ["epsilon", "delta", "sigma", "steps", "train_loss"])
        self.assertGreater(answer("learn", "evaluate", self.model, self.rows)["accuracy"], 0.8)
        self.refused(sgd("1.5", "--examples", "3000"), "1", code=4)
        self.refused(sgd("0.9", "--examples", "3000", "--resume"), "no")
        self.assertEqual(sgd("0.9", "--examples", "3000").returncode, 0)
        self.refused(sgd("0.5", "--examples", "3000"), "0", code=4)

    # -- what is refused

    def test_refusals(self):
        for more, words in [
            (["--model", "layers:linear:4-batchnorm"], "depend on the others"),
            (["--model", "deep"], "accepted are logistic"),
            (["--model", "cnn"], "images"),
            (["--model", "scatter"], "images"),
            (["--lot", "3001"], "3000"),
            (["--clip", "0"], "above 0"),
            (["--epochs", "0"], "above 0"),
            (["--noise", "1"], "one of the two"),
            (["--layer-clips", "1,1,1"], "layers that have weights"),
            (["--clip", "1e-12", "--layer-clips", "4e-21", "--learning-rate", "1e12"], "1e-12"),
            (["--model", "layers:embed:5:2"], "embedding"),
            (["--layer-noise", "1"], "--layer-clips"),
            (["--optimiser", "sdg"], "momentum"),
            (["--resume"], "no"),
            (["--label", "sick"], "sick"),
            (["--delta", "0"], "above 0"),
        ]:
            with self.subTest(more=more):
                self.refused(discreet(*self.sgd(*more)), words)
                self.assertFalse(pathlib.Path(self.model).exists())
        for lacks in "--epsilon", "--delta", "-o":
            arguments = list(map(str, self.sgd()))
            at = arguments.index(lacks)
            del arguments[at:at + 2]
            with self.subTest(lacks=lacks):
                self.assertEqual(discreet(*arguments).returncode, 2)

    def test_strange_models_are_refused(self):
        answer(*self.sgd())
        bytes_ = pathlib.Path(self.model).read_bytes()
        for damage in b"", b"not a model", bytes_[:-1], bytes_[:200] + b"x" + bytes_[201:]:
            other = self.folder / "other"
            other.write_bytes(damage)
            self.refused(discreet("learn", "evaluate", other, self.rows), "no model", code=1)
        self.refused(discreet("learn", "evaluate", self.folder / "none", self.rows), "no file")
        other = self.folder / "other.csv"
        other.write_text("age,dose,ill\n1,2,0\n")
        self.refused(discreet("learn", "evaluate", self.model, other), "ward")

    def test_a_training_that_diverged_leaves_no_model(self):
        done = discreet(*self.sgd("--model", "mlp:8,8", "--learning-rate", "1e12", "--clip", "1000000"))
        if done.returncode == 0:  # finite, but of no use
            scored = discreet("learn", "evaluate", self.model, self.rows)
            self.assertNotIn("nan", scored.stdout)
        else:
            self.refused(done, "diverged", code=1)
            self.assertFalse(pathlib.Path(self.model).exists())

    def test_the_number_of_examples_may_be_declared(self):
        told = answer(*self.sgd("--examples", "5000"))
        self.assertEqual((told["examples"], told["examples_declared"], told["steps"]), (5000, True, 250))
        self.assertIn("poisson(0.04,", told["event"])

    def test_no_row_makes_it_fail(self):
        rows = self.folder / "strange.csv"
        with open(rows, "w") as out:
            out.write("age,dose,ward,ill\n")
            for i in range(300):
                out.write(random.Random(i).choice(["1e308,-1e308,A,1", "nan,inf,Z,0", ",,,", "abc,1,B,7", "50,5,A,1", "20,2,B,0"]) + "\n")
        told = answer("learn", "sgd", "--train", rows, "--label", "ill", *BOUNDS, *SPEND, "--lot", "50", "--epochs", "2", "-o", self.model)
        self.assertTrue(math.isfinite(told["train_loss"]))


if __name__ == "__main__":
    unittest.main()
