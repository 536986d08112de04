"""discreet local: what numbers in reports mean is kept with them, and a collection counts once."""
import shutil
import unittest

from local_case import FLAT, InFolder, feed
from support import answer, discreet


class Names(InFolder):
    def setUp(self):
        super().setUp()
        self.pets = self.file("pets", "cat\ndog\nfish\nnone\n")
        self.turned = self.file("turned", "dog\ncat\nfish\nnone\n")
        self.reports = self.file("reports", "0\n1\n1\n3\n")
        self.state = str(self.folder / "state")

    def flat(self, verb, values, *more):
        return discreet("local", verb, "flat", "--epsilon", "1", "--values", values, *more)

    def test_a_list_in_another_order_is_refused(self):
        self.assertEqual(self.flat("aggregate", self.pets, self.reports, "-o", self.state).returncode, 0)
        self.assertEqual(self.flat("estimate", self.pets, "--state", self.state).returncode, 0)
        self.refused(self.flat("estimate", self.turned, "--state", self.state), "--values", "another list", "same order")
        other = str(self.folder / "other")
        self.assertEqual(self.flat("aggregate", self.turned, self.reports, "-o", other).returncode, 0)
        self.refused(discreet("local", "merge", self.state, other, "-o", str(self.folder / "both")), "different lists of values")
        # numbers instead of names are the same whatever the names
        self.assertEqual(discreet("local", "estimate", *FLAT, "--state", self.state).returncode, 0)

    def test_a_memory_of_another_list_is_refused(self):
        memory = ["--permanent", "2", "--memory", str(self.folder / "memory")]
        arguments = ["perturb", "flat", "--epsilon", "1", *memory, "--values"]
        self.assertEqual(feed([*arguments, self.pets], b"cat\n").returncode, 0)
        self.assertEqual(feed([*arguments, self.pets], b"cat\n").returncode, 0)
        self.refused(feed([*arguments, self.turned], b"cat\n"), "found the memory of", "list of values")


class Bounds(InFolder):
    DUCHI = ["duchi", "--epsilon", "1"]

    def test_forgotten_bounds(self):
        ages = "".join(f"{age}\n" for age in range(18, 68))
        out = self.folder / "out"
        for way in [["-i", self.file("ages", ages)], ["-i", self.file("ages", ages), "-o", str(out)]]:
            done = feed(["perturb", *self.DUCHI, *way], b"")
            self.refused(done, "--lower", "50 of 50 numbers are outside of -1 to 1", "did you forget --lower and --upper?")
            self.assertEqual(done.stdout, b"")
            self.assertFalse(out.exists())
        done = feed(["perturb", *self.DUCHI], ages.encode())
        self.refused(done, "did you forget")
        self.assertEqual(done.stdout, b"")
        self.assertEqual(feed(["perturb", *self.DUCHI, "--lower", "0", "--upper", "120"], ages.encode()).returncode, 0)

    def test_one_person_reports_whatever_their_number_is(self):
        """Sending nothing would tell that it was outside."""
        done = feed(["perturb", *self.DUCHI], b"7\n")
        self.assertEqual((done.returncode, done.stdout.count(b"\n")), (0, 1))

    def test_states_hold_them(self):
        reports, state = self.file("reports", "1\n1\n-1\n"), str(self.folder / "state")
        ages = ["--lower", "18", "--upper", "98"]
        self.assertEqual(discreet("local", "aggregate", *self.DUCHI, *ages, reports, "-o", state).returncode, 0)
        given = answer("local", "estimate", *self.DUCHI, *ages, "--state", state)["mean"]
        self.assertEqual(answer("local", "estimate", *self.DUCHI, "--state", state)["mean"], given)
        self.assertEqual(answer("local", "estimate", *self.DUCHI, *ages, reports)["mean"], given)
        done = discreet("local", "estimate", *self.DUCHI, "--lower", "0", "--upper", "98", "--state", state)
        self.refused(done, "--lower", "found 0 to 98; accepted is 18 to 98")
        other = str(self.folder / "other")
        self.assertEqual(discreet("local", "aggregate", *self.DUCHI, reports, "-o", other).returncode, 0)
        self.refused(discreet("local", "merge", state, other, "-o", str(self.folder / "both")), "18 to 98", "--lower and --upper")


class Once(InFolder):
    def test_a_copy_is_not_counted_again(self):
        reports = self.file("reports", "0\n1\n2\n")
        monday, tuesday, copy, week = (str(self.folder / name) for name in ("monday", "tuesday", "copy", "week"))
        for state in monday, tuesday:
            self.assertEqual(discreet("local", "aggregate", *FLAT, reports, "-o", state).returncode, 0)
        shutil.copy(monday, copy)
        self.refused(discreet("local", "merge", monday, copy, "-o", week), "the same reports twice")
        self.assertEqual(answer("local", "merge", monday, tuesday, "-o", week)["users"], 6)
        self.refused(discreet("local", "merge", week, copy, "-o", str(self.folder / "more")), "the same reports twice")
        self.refused(discreet("local", "estimate", *FLAT, "--state", week, tuesday), "the same reports twice")


class Inputs(InFolder):
    def test_files_are_given_either_way(self):
        one, two, state = self.file("one", "0\n1\n"), self.file("two", "2\n"), str(self.folder / "state")
        self.assertEqual(answer("local", "estimate", *FLAT, one, two)["users"], 3)
        self.assertEqual(answer("local", "estimate", *FLAT, one, "-i", two)["users"], 3)
        self.assertEqual(answer("local", "aggregate", *FLAT, "-i", one, two, "-o", state)["users"], 3)

    def test_a_state_is_known_by_its_first_bytes(self):
        one, state, other = self.file("one", "0\n1\n"), str(self.folder / "state"), str(self.folder / "other")
        for path in state, other:
            self.assertEqual(discreet("local", "aggregate", *FLAT, one, "-o", path).returncode, 0)
        self.assertEqual(answer("local", "estimate", *FLAT, "-i", state)["users"], 2)
        self.assertEqual(answer("local", "estimate", *FLAT, state, other)["users"], 4)
        with open(state, "rb") as file:
            done = feed(["estimate", *FLAT], file.read())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"From 2 reports", done.stdout)
        self.refused(discreet("local", "estimate", *FLAT, state, one), "states and reports together")
        self.refused(discreet("local", "aggregate", *FLAT, state, "-o", other), "found a collector's state", "merge")
        # what only begins like one is reports
        self.refused(feed(["estimate", *FLAT], b"discreet local\n0\n" + b"x\n"), code=0)


if __name__ == "__main__":
    unittest.main()
