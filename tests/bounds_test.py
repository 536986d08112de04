#!/usr/bin/env python3
"""Bounds that nobody declares, as a person meets them: a useful answer, what it left out, and what one answer tells the next."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

from support import DISCREET, SOURCE

WARDS = ["A", "B", "C"]


class Bounds(unittest.TestCase):
    """2000 people with 1 to 8 visits each, a policy without bounds, and an ε at which noise is small."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = pathlib.Path(self.folder.name)
        draw = random.Random(7)
        rows = [(person, draw.choice(WARDS), draw.randrange(10, 400)) for person in range(2000) for _ in range(1 + person % 8)]
        (self.place / "visits.csv").write_text("who,ward,cost\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        self.count = {ward: sum(row[1] == ward for row in rows) for ward in WARDS}
        self.mean = {ward: sum(row[2] for row in rows if row[1] == ward) / self.count[ward] for ward in WARDS}
        self.write_policy("")

    def write_policy(self, more):
        self.policy = self.place / "policy.toml"
        self.policy.write_text('[policy]\nname = "visits"\nunit = "person"\nbudget = { epsilon = 10000, delta = 1e-3 }\n'
                               '[tables.visits]\nsource = "visits.csv"\nkey = "who"\ncolumns.cost = { type = "integer" }\n'
                               'columns.ward = { values = ["A", "B", "C"] }\n' + more)

    def ask(self, query, *options, verb="sql", epsilon=50):
        done = subprocess.run([DISCREET, verb, "--policy", self.policy, "--epsilon", str(epsilon), "--json", *options, query], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "XDG_STATE_HOME": str(self.place / "state")})
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    BY_WARD = "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward"

    def is_right(self, answer):
        self.assertEqual(WARDS, [row[0] for row in answer["rows"]])
        for ward, count, mean in answer["rows"]:
            self.assertAlmostEqual(self.count[ward], count, delta=0.1 * self.count[ward])
            self.assertAlmostEqual(self.mean[ward], mean, delta=0.1 * self.mean[ward])
        self.assertLess(answer["left_out"]["rows"]["share"], 0.1)

    def test_an_answer_without_declared_bounds_is_useful(self):
        self.is_right(self.ask(self.BY_WARD))

    def test_what_an_earlier_answer_told_serves_with_what_is_still_to_be_measured(self):
        self.ask("SELECT COUNT(*) FROM visits GROUP BY ward")  # tells how many rows people have, but not how large their costs are
        self.is_right(self.ask(self.BY_WARD))
        self.is_right(self.ask(self.BY_WARD, "--reuse"))

    def test_rows_in_all_that_are_asked_for_are_what_counts(self):
        """The advice of an answer can be followed, whatever the policy says of groups and of rows in each."""
        self.write_policy("max_groups = 1\nmax_rows_per_group = 1\n")
        careless = self.ask(self.BY_WARD)
        self.assertGreater(careless["left_out"]["rows"]["share"], 0.5)
        self.assertLess(careless["rows"][0][1], 0.5 * self.count["A"])
        enough = careless["left_out"]["max_rows_for_99_percent"]
        answer = self.ask("SELECT ward, COUNT(*), AVG(cost, contribution_bounds_per_row => (0, 400)) FROM visits GROUP BY ward", "--max-rows-total", str(enough))
        self.assertEqual(enough, answer["plan"]["parts"][0]["max_rows"])
        self.is_right(answer)

    def test_explain_states_no_noise_before_the_bounds_are_known(self):
        before = self.ask(self.BY_WARD, verb="explain")["parts"][0]
        self.assertEqual("to be measured", before["bounds"])
        self.assertEqual([{"what", "epsilon"}] * 3, [set(number) for number in before["numbers"]])
        self.ask(self.BY_WARD, verb="profile")
        after = self.ask(self.BY_WARD, verb="explain")["parts"][0]
        self.assertEqual("measured", after["bounds"])
        self.assertLessEqual({"scale", "sensitivity"}, set(after["numbers"][0]))

    def test_what_is_left_out_is_said_also_where_little_is_to_be_seen(self):
        """Three of four people lose rows, and at this ε nobody can see how many: the interval has to know that it doesn't."""
        self.write_policy("max_rows = 2\n")
        truth = sum(max(0, 1 + person % 8 - 2) for person in range(2000)) / sum(self.count.values())
        shares = [self.ask("SELECT COUNT(*) FROM visits", epsilon=0.4)["left_out"]["rows"] for _ in range(12)]
        self.assertGreaterEqual(sum(one["lower"] <= truth <= one["upper"] for one in shares), 9, shares)
        self.assertLess(sum(one["upper"] == 1 for one in shares), 6, shares)

    def test_policy_init_measures_with_an_epsilon(self):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "init-state")}
        target = self.place / "measured.toml"

        def run(*arguments, code=0):
            done = subprocess.run([DISCREET, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment)
            self.assertEqual(code, done.returncode, done.stderr)
            return done
        begin = ["policy", "init", self.place / "visits.csv", "--key", "who", "--budget-epsilon", "10"]
        self.assertIn("--output", run(*begin, "--epsilon", "5", code=2).stderr)  # nothing to stand a ledger beside
        self.assertIn("more than the budget", run(*begin, "--epsilon", "50", "-o", target, code=2).stderr)
        self.assertFalse(target.exists())
        run(*begin, "--epsilon", "5", "-o", target)
        rows = re.search(r"^max_rows = (\d+) ", target.read_text(), re.M)
        self.assertTrue(rows and 7 <= int(rows[1]) <= 12, target.read_text())  # nobody has more than 8
        self.assertEqual(5, json.loads(run("budget", "show", "--policy", target, "--json").stdout)["spent"]["epsilon"])
        run(*begin, "-o", self.place / "unmeasured.toml")
        self.assertNotRegex((self.place / "unmeasured.toml").read_text(), r"(?m)^max_rows")

    def test_policy_check_says_what_counts_of_a_unit(self):
        for more, said in [("", "how much of one person an answer counts isn't declared"), ("max_rows = 7\n", "at most 7 rows in all groups together (max_rows)\n"),
                           ("max_groups = 2\n", "at most 2 groups (max_groups)\n    how much more of one person an answer counts isn't declared"),
                           ("max_groups = 2\nmax_rows_per_group = 1\n", "at most 2 groups (max_groups) and 1 row in each (max_rows_per_group)\n")]:
            self.write_policy(more)
            done = subprocess.run([DISCREET, "policy", "check", self.policy], capture_output=True, text=True)
            self.assertIn(said, done.stdout)
            self.assertEqual("isn't declared" in said, "isn't declared" in done.stdout, more)

    def test_the_picture_of_the_documentation_is_like_what_is_drawn(self):
        """Its lines are noisy, so their shapes differ; what is drawn, over which axes, doesn't."""
        drawn = self.place / "bounds.svg"
        self.ask("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "--plot", drawn, verb="profile")

        def what(path):
            text = path.read_text().replace("person", "patient")
            return re.findall(r"<(?:title|desc)>(.*?)</", text), [word for word in re.findall(r"<text[^>]*>(.*?)</text>", text) if not re.fullmatch(r"[\d.e-]+", word)]
        self.assertEqual(what(SOURCE / "docs" / "pictures" / "accuracy-bounds.svg"), what(drawn))


if __name__ == "__main__":
    unittest.main()
