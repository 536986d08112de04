"""discreet local choose, guarantee and simulate, from the outside: their contracts, their pictures and every refusal."""
import math
import pathlib
import tempfile
import unittest
import xml.dom.minidom

from support import answer, discreet


class Case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def refused(self, says, *arguments, code=2):
        done = discreet("local", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(says, done.stderr)

    def picture(self, name):
        text = (self.folder / name).read_text()
        xml.dom.minidom.parseString(text)
        return text


class Guarantee(Case):
    def ask(self, *arguments):
        return answer("local", "guarantee", *arguments)

    def test_each_report_the_collection_and_groups(self):
        said = self.ask("flat", "--epsilon", "0.5", "--domain", 16, "--reports", 3, "--group", 4)
        self.assertEqual(said["report"], {"epsilon": 0.5})
        self.assertEqual(said["central"]["epsilon"], 1.5)
        self.assertEqual(said["central"]["relation"], "substitute")
        self.assertEqual(said["group"], {"size": 4, "epsilon": 6})
        self.assertEqual(said["add_remove"]["epsilon"], "inf")
        self.assertIn("through the randomizer too", said["add_remove"]["why"])
        self.assertNotIn("shuffled", said)

    def test_absentees_who_report_make_it_a_substitution(self):
        self.assertEqual(self.ask("flat", "--epsilon", 2, "--domain", 16, "--absentees")["add_remove"]["epsilon"], 2)

    def test_coins_say_what_follows_from_the_coin(self):
        self.assertAlmostEqual(self.ask("coins")["central"]["epsilon"], math.log(3), delta=1e-15)

    def test_the_largest_of_several(self):
        self.assertEqual(self.ask("flat", "--epsilons", "0.5,2,1", "--domain", 16)["central"]["epsilon"], 2)

    def test_shuffled(self):
        few = self.ask("flat", "--epsilon", 1, "--domain", 16, "--users", "1e4", "--delta", "1e-6")["shuffled"]
        many = self.ask("flat", "--epsilon", 1, "--domain", 16, "--users", "1e6", "--delta", "1e-6")["shuffled"]
        other = self.ask("subset", "--epsilon", 1, "--domain", 16, "--users", "1e6", "--delta", "1e-6")["shuffled"]
        self.assertEqual((many["relation"], many["delta"], many["bound"]), ("substitute", 1e-6, "numerical"))
        self.assertLess(many["epsilon"], few["epsilon"] / 9)
        self.assertLess(many["epsilon"], other["epsilon"])  # randomized response hides better
        self.assertLess(other["epsilon"], other["closed_form"])
        e = math.e
        self.assertAlmostEqual(many["closed_form"], math.log(1 + (e - 1) / (e + 1) * (8 * math.sqrt(e * math.log(4e6) / 1e6) + 8 * e / 1e6)), places=12)

    def test_text_says_what_is_promised_to_whom(self):
        text = discreet("local", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--users", "1e6", "--delta", "1e-6").stdout
        for part in ("Each report is 1-private", "number of users is public", "Added or removed: nothing", "Shuffled: ε = 0.0035"):
            self.assertIn(part, text)

    def test_permanent_reports(self):
        whole = self.ask("flat", "--epsilon", 1, "--domain", 16, "--permanent", 2, "--group", 3, "--absentees")
        self.assertEqual(whole["report"]["epsilon"], 1)
        # of all rounds together: what the permanent report costs, not what one round does
        self.assertEqual((whole["central"]["epsilon"], whole["group"]["epsilon"], whole["add_remove"]["epsilon"]), (2, 6, 2))
        self.assertIn("each value they ever held", whole["central"]["why"])
        self.assertIn("Collected: ε = 2:", discreet("local", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--permanent", 2).stdout)
        said = whole["permanent"]
        self.assertEqual(said["epsilon"], 2)
        for part in ("however many", "each further value", "has changed"):
            self.assertIn(part, said["why"])
        self.refused("more than the ε of one report", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--permanent", 1)
        self.refused("together with --permanent", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--permanent", 2, "--reports", 3)
        self.refused("subset", "guarantee", "subset", "--epsilon", 1, "--domain", 16, "--permanent", 2)

    def test_what_is_hardly_a_promise_is_remarked(self):
        self.assertEqual(self.ask("flat", "--epsilon", 1, "--domain", 16, "--users", "1e6", "--delta", "1e-7")["warnings"], [])
        weak = self.ask("flat", "--epsilon", 50, "--domain", 16, "--users", "1e4", "--delta", "1e-2")["warnings"]
        self.assertEqual(len(weak), 2)
        self.assertIn("1/users", weak[1])
        text = discreet("local", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--users", 1, "--delta", "1e-6", "--group", 4).stdout
        self.assertIn("e^ε = 2.72", text)
        self.assertIn("Shuffled: ε = 1 at", text)
        self.assertIn("Shuffled, a group of 4", text)

    def test_channels_without_a_positive_epsilon(self):
        open_one, blind = self.folder / "open.csv", self.folder / "blind.csv"
        open_one.write_text("1,0\n0,1\n")
        blind.write_text("0.5,0.5\n0.5,0.5\n")
        self.refused("--channel", "guarantee", "channel", "--channel", open_one)
        self.assertEqual(self.ask("channel", "--channel", blind)["central"]["epsilon"], 0)

    def test_refusals(self):
        self.refused("at least 1e-200", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--users", "1e5", "--delta", "1e-299")
        self.refused("all have the same ε", "guarantee", "flat", "--epsilons", "1,2", "--domain", 16, "--users", 100, "--delta", "1e-6")
        self.refused("--delta", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--users", 100)
        self.refused("--users", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--delta", "1e-6")
        self.refused("gains nothing at δ = 0", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--users", 100, "--delta", 0)
        self.refused("--reports", "guarantee", "flat", "--epsilon", 1, "--domain", 16, "--reports", 0)
        self.refused("together with --epsilons", "guarantee", "flat", "--epsilon", 1, "--epsilons", "1,2", "--domain", 16)
        self.refused("did you mean 'flat'", "guarantee", "flt", "--epsilon", 1, "--domain", 16)


class Choose(Case):
    def ask(self, *arguments):
        return answer("local", "choose", *arguments)

    def test_large_domains(self):
        said = self.ask("--domain", 1000, "--epsilon", 1, "--users", "1e6")
        self.assertEqual(said["best"], {"variance": "subset", "communication": "local-hashing"})
        rows = {row["name"]: row for row in said["protocols"]}
        e = math.e
        self.assertAlmostEqual(rows["flat"]["variance"], (e + 998) / (e - 1) ** 2, places=9)
        self.assertAlmostEqual(rows["optimised-unary"]["variance"], 4 * e / (e - 1) ** 2, places=12)
        self.assertAlmostEqual(rows["flat"]["stderr"], math.sqrt(rows["flat"]["variance"] / 1e6), places=15)
        self.assertEqual([row["variance"] for row in said["protocols"]], sorted(row["variance"] for row in said["protocols"]))
        self.assertNotIn("coins", rows)
        self.assertEqual(said["left_out"][0]["name"], "coins")

    def test_small_domains(self):
        self.assertEqual(self.ask("--domain", 3, "--epsilon", 2)["best"], {"variance": "flat", "communication": "flat"})

    def test_blocks_are_a_row_of_their_own(self):
        rows = {row["name"]: row for row in self.ask("--domain", 1000, "--epsilon", 4)["protocols"]}
        self.assertEqual(rows["hadamard with 32 blocks"]["blocks"], 32)
        self.assertLess(rows["hadamard with 32 blocks"]["variance"], rows["hadamard"]["variance"] / 5)

    def test_numbers(self):
        said = self.ask("--numeric", "--epsilon", 2)
        self.assertEqual(said["best"]["variance"], "hybrid")
        self.assertEqual({row["name"] for row in said["protocols"]}, {"duchi", "piecewise", "hybrid"})

    def test_a_protocol_too_large_for_memory_is_left_out_with_a_reason(self):
        said = self.ask("--domain", 500_000_000, "--epsilon", 1)
        self.assertIn("subset", {row["name"] for row in said["left_out"]})
        self.assertIn("flat", {row["name"] for row in said["protocols"]})

    def test_picture(self):
        done = discreet("local", "choose", "--domain", 100, "--epsilon", 1, "--plot", self.folder / "choose.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best by", done.stdout)
        self.assertIn("Take subset", done.stdout)
        self.assertIn("± 1 % takes", done.stdout)
        picture = self.picture("choose.svg")
        for name in ("subset", "flat", "local-hashing", "hadamard, best blocks", ">0.5</text>", ">2</text>", ">5</text>"):
            self.assertIn(name, picture)

    def test_refusals(self):
        self.refused("--domain: none was given", "choose", "--epsilon", 1)
        self.refused("--epsilon: none was given", "choose", "--domain", 10)
        self.refused("--domain", "choose", "--epsilon", 1, "--domain", 1)
        self.refused("--numeric", "choose", "--epsilon", 1, "--domain", 10, "--numeric")
        self.refused("--epsilon", "choose", "--epsilon", 501, "--domain", 10)
        self.refused(".svg", "choose", "--epsilon", 1, "--domain", 10, "--plot", "x.png")


class Simulate(Case):
    def ask(self, *arguments):
        return answer("local", "simulate", *arguments)

    def test_every_protocol(self):
        said = self.ask("--distribution", "zipf", "--users", "1e5", "--domain", 50, "--epsilon", 2, "--protocols", "all")
        rows = {row["name"]: row for row in said["protocols"]}
        self.assertEqual((said["users"], said["domain"], said["epsilon"], said["method"]), (100000, 50, 2, "inversion"))
        self.assertEqual([row["name"] for row in said["left_out"]], ["coins", "square-wave"])  # flat; values that are names have no shape
        self.assertNotIn("square-wave", rows)
        self.assertAlmostEqual(sum(said["true"]), 1, places=9)
        self.assertGreater(said["true"][0], said["true"][10])
        for name in ("flat", "symmetric-unary", "optimised-unary", "local-hashing", "hadamard", "subset"):
            row = rows[name]
            # 50 nearly normal errors: outside with a probability below 1e-6
            self.assertTrue(0.25 < row["mse"] / row["predicted_mse"] < 2.7, row)
            self.assertGreater(row["within_two_stderr"], 0.7)
            worst = max(abs(a - b) for a, b in zip(said["true"], row["distribution"]))
            self.assertAlmostEqual(row["largest_error"], worst, places=12)
            self.assertAlmostEqual(row["total_variation"], sum(abs(a - b) for a, b in zip(said["true"], row["distribution"])) / 2, places=12)
        for name in ("duchi", "piecewise", "hybrid"):
            self.assertLess(rows[name]["error"], 6 * rows[name]["stderr"])
        mean = sum(f * (-1 + 2 * i / 49) for i, f in enumerate(said["true"]))
        self.assertAlmostEqual(rows["duchi"]["mean"], mean, places=12)
        named = self.ask("--users", "1e4", "--domain", 50, "--epsilon", 2, "--protocols", "square-wave")["protocols"][0]
        self.assertAlmostEqual(sum(named["distribution"]), 1, places=9)

    def test_methods_and_weights(self):
        for method in ("clip", "simplex", "ibu", "mle"):
            said = self.ask("--distribution", "5,3,0,2", "--users", 20000, "--epsilon", 1, "--protocols", "flat,local-hashing", "--method", method)
            self.assertEqual(said["true"][2], 0)
            for row in said["protocols"]:
                self.assertAlmostEqual(sum(row["distribution"]), 1, places=6)
                self.assertGreaterEqual(min(row["distribution"]), 0)
        (self.folder / "weights").write_text("a,5\nb,3\n")
        said = self.ask("--distribution", self.folder / "weights", "--users", 1000, "--epsilon", 1, "--protocols", "flat")
        self.assertEqual(len(said["true"]), 2)

    def test_picture_and_table(self):
        done = discreet("local", "simulate", "--distribution", "bell", "--users", 5000, "--domain", 20, "--epsilon", 1, "--protocols", "flat,subset,duchi", "--plot", self.folder / "simulated.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("mean squared error", "predicted", "within ±2 stderr", "flat", "subset", "duchi"):
            self.assertIn(part, done.stdout)
        picture = self.picture("simulated.svg")
        self.assertIn("flat: 5,000 people", picture)
        self.assertIn("The mean", picture)

    def test_refusals(self):
        good = ["simulate", "--users", 100, "--domain", 10, "--epsilon", 1]
        self.refused("did you mean 'zipf'", *good, "--distribution", "zpif")
        self.refused("--protocols: found 'flt'", *good, "--protocols", "flt")
        self.refused("--method", *good, "--method", "guess")
        self.refused("--domain", "simulate", "--users", 100, "--epsilon", 1)
        self.refused("--users", "simulate", "--domain", 10, "--epsilon", 1)
        self.refused("--epsilon", "simulate", "--users", 100, "--domain", 10)
        self.refused("accepted is their number", *good, "--distribution", "1,2,3")
        self.refused("not all 0", "simulate", "--users", 100, "--epsilon", 1, "--distribution", "0,0")


if __name__ == "__main__":
    unittest.main()
