#!/usr/bin/env python3
"""discreet sql and explain as a person meets them: declared bounds, budgets, δ, answers given again, the ledger."""
import json
import unittest

from clinic import ClinicCase


class Command(ClinicCase):
    def test_declared_numbers_are_a_range_and_others_are_clamped(self):
        (self.place / "data" / "flags.csv").write_text("who,flag\n" + "".join(f"{i},{i % 2 if i < 90 else 7}\n" for i in range(100)))
        policy = self.write_policy('[policy]\nname = "flags"\nunit = "person"\nbudget = { epsilon = 100000 }\n'
                                   '[tables.flags]\nsource = "flags.csv"\nkey = "who"\ncolumns.flag = { values = [0, 1] }\n')
        answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "5000", "--json", "SELECT SUM(flag), COUNT(*) FROM flags").stdout)
        self.assertAlmostEqual(55, answer["rows"][0][0], delta=0.5)
        self.assertEqual(100, answer["rows"][0][1])
        answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "5000", "--json", "SELECT flag, COUNT(*) FROM flags GROUP BY flag").stdout)
        self.assertEqual([[0, 45], [1, 45]], answer["rows"])

    CITIES = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"

    def test_a_delta_is_taken_where_one_is_needed(self):
        asked = ["--policy", self.policy, "--epsilon", "5000"]
        done = self.run_discreet("sql", *asked, self.CITIES)
        self.assertIn("note: groups are chosen privately and no δ is given: δ = 0.009 is taken, a hundredth of the budget's", done.stderr)
        answer = json.loads(self.run_discreet("sql", *asked, "--json", self.CITIES).stdout)
        self.assertEqual(4, len(answer["rows"]))
        self.assertEqual(0.009, answer["guarantee"]["delta"])
        # The same question again is the same question, although less is left.
        again = json.loads(self.run_discreet("sql", *asked, "--json", "--reuse", self.CITIES).stdout)
        self.assertEqual(answer["receipt"], again["receipt"])
        # None is taken where none is needed, or where it is said so.
        answer = json.loads(self.run_discreet("sql", *asked, "--json", self.QUERY).stdout)
        self.assertEqual(0, answer["guarantee"]["delta"])
        self.assertIn("add --delta 0.009, or declare", self.run_discreet("sql", *asked, "--delta", "0", self.CITIES, code=2).stderr)

    def own_budget(self, name, budget):
        """A policy with a source, and so a ledger, of its own."""
        # a copy, byte for byte, would share the first one's budget: the rows come in another order
        header, *rows = (self.place / "data" / "visits.csv").read_text().splitlines(keepends=True)
        first = sum(map(ord, name)) % len(rows)
        (self.place / "data" / f"{name}.csv").write_text("".join([header, *rows[first:], *rows[:first]]))
        return self.write_policy(f'[policy]\nname = "{name}"\nunit = "patient"\nledger = "{name}.ledger"\nbudget = {budget}\n'
                                 f'[tables.visits]\nsource = "{name}.csv"\nkey = "patient_id"\n')

    def test_a_delta_that_is_advised_can_be_had(self):
        for name, budget, taken in [("plain", "{ epsilon = 9, delta = 1e-6 }", 1e-8),
                                    ("capped", "{ epsilon = 9, delta = 1e-6 }\nmax_delta_per_query = 5e-9", 5e-9),
                                    ("zcdp", '{ epsilon = 9, delta = 1e-6, accountant = "zcdp" }', 1e-8)]:
            policy = self.own_budget(name, budget)
            for _ in range(3):
                answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "1", "--json", self.CITIES).stdout)
                self.assertAlmostEqual(taken, answer["guarantee"]["delta"], delta=taken * 1e-9)
        for name, budget in [("none", "{ epsilon = 9 }"), ("pure", '{ epsilon = 9, delta = 1e-6, accountant = "pure" }')]:
            error = self.run_discreet("sql", "--policy", self.own_budget(name, budget), "--epsilon", "1", self.CITIES, code=2).stderr
            self.assertIn("the policy's budget has none: declare the keys' values in the policy", error)
            self.assertNotIn("--delta", error)

    def test_rows_without_an_owner_are_left_out_and_explain_says_so(self):
        said = self.run_discreet("explain", "--policy", self.policy, "--epsilon", "1", self.QUERY).stdout
        self.assertIn("Rows without a patient are left out.", said)

    def test_explain_spends_nothing(self):
        plan = json.loads(self.run_discreet("explain", "--policy", self.policy, "--epsilon", "0.5", "--json", "--group-size", "100,1000", self.QUERY).stdout)
        self.assertEqual(0.5, plan["epsilon"])
        self.assertEqual([100, 1000], [row["group_size"] for row in plan["expected_error"]])
        self.assertGreater(plan["expected_error"][0]["columns"]["a"], plan["expected_error"][1]["columns"]["a"])
        self.assertIn("It costs ε = 0.5", self.run_discreet("explain", "--policy", self.policy, "--epsilon", "0.5", self.QUERY).stdout)
        self.assertEqual(0, json.loads(self.run_discreet("budget", "show", "--policy", self.policy, "--json").stdout)["spent"]["epsilon"])

    def test_the_expected_error_is_the_error(self):
        """The interval of a count holds the exact value about as often as it says."""
        inside = 0
        for _ in range(60):
            answer = json.loads(self.run_discreet("sql", "--policy", self.policy, "--epsilon", "0.5", "--confidence", "0.8", "--json", "SELECT COUNT(*) FROM visits").stdout)
            low, high = answer["intervals"][0][0]
            inside += low <= 400 <= high
        self.assertGreaterEqual(inside, 34)  # 0.8 of 60 is 48; below 34 by chance: 1e-5

    def test_a_budget_ends(self):
        policy = self.write_policy((self.place / "data" / "policy.toml").read_text().replace("epsilon = 1000000", "epsilon = 1").replace('name = "fixture"', 'name = "small"'))
        ask = ["sql", "--policy", policy, "--epsilon", "0.6", "SELECT COUNT(*) FROM visits"]
        self.run_discreet(*ask)
        refused = self.run_discreet(*ask, code=4)
        self.assertIn("Remaining", refused.stderr)

    def test_an_answer_is_reused(self):
        """Given again it looks as it did, in every format, with its own guarantee; nothing is spent."""
        query = "SELECT ward, urgent, COUNT(*) AS n, SUM(nights) AS s, AVG(cost) AS a, MEDIAN(day) AS d, COUNT(*) / (COUNT(*) - COUNT(*)) AS x FROM visits GROUP BY ward, urgent"
        first = json.loads(self.sql(query, "--json").stdout)
        again = self.sql(query, "--json", "--reuse")
        self.assertEqual(first, json.loads(again.stdout))
        self.assertIn("nothing was spent now", again.stderr)
        self.assertEqual(5000, first["guarantee"]["epsilon"])
        # another spelling of the same question
        self.assertEqual(first["rows"], json.loads(self.sql(query.lower().replace("'a'", "'A'"), "--json", "--reuse").stdout)["rows"])
        for form in ["table", "csv", "jsonlines", "markdown", "json"]:
            with self.subTest(form=form):
                query = f"SELECT ward, COUNT(*) AS n{form}, SUM(nights) AS s, SUM(cost), MODE(ward), MEDIAN(day) FROM visits GROUP BY ward"
                self.assertEqual(self.sql(query, "--format", form).stdout, self.sql(query, "--format", form, "--reuse").stdout)
        self.sql(query, "--format", "parquet", "--reuse", "-o", self.place / "again.parquet")
        self.assertEqual(b"PAR1", (self.place / "again.parquet").read_bytes()[:4])

    def test_the_ledger_tells_what_was_asked_and_what_it_cost(self):
        """The history's queries are canonical, and its events, fed back to `discreet account`, come to the ledger's total."""
        for query in ["SELECT ward, COUNT(*) FROM visits GROUP BY ward", "select count(*) as n, Ward from visits as v group by 2",
                      "SELECT city, COUNT(*), AVG(cost) FROM visits GROUP BY city", "SELECT MEDIAN(cost), COUNT(*, epsilon => 0.1) FROM visits",
                      "SELECT COUNT(*), SUM(cost), SUM(nights), AVG(debt), VAR_POP(cost), SUM(cost * nights), SUM(ABS(debt)) FROM visits"]:
            self.run_discreet("sql", "--policy", self.policy, "--epsilon", "0.7", "--delta", "1e-6", query)
        history = [one for one in json.loads(self.run_discreet("budget", "history", "--policy", self.policy, "--json").stdout)["history"] if one["kind"] == "release"]
        self.assertEqual(5, len(history))
        self.assertEqual(history[0]["query"], history[1]["query"])
        self.assertIn('FROM "visits"', history[0]["query"])
        spent = json.loads(self.run_discreet("budget", "show", "--policy", self.policy, "--json").stdout)["spent"]
        self.assertAlmostEqual(3.5, spent["epsilon"])

        def accounted(events, delta, accountant):
            done = self.run_discreet("account", "epsilon", "--accountant", accountant, "--delta", repr(delta), "--json", *events)
            answer = json.loads(done.stdout)
            return answer["epsilon"]["upper"] if isinstance(answer["epsilon"], dict) else answer["upper"]

        for one in history:
            events = [event["event"] for event in one["events"]]
            with self.subTest(query=one["query"]):
                if any(event.startswith(("gaussian", "compose(gaussian")) for event in events):
                    self.assertLessEqual(accounted(events, one["cost"]["delta"], "pld"), one["cost"]["epsilon"] * 1.001)
                else:
                    self.assertAlmostEqual(one["cost"]["epsilon"], accounted(events, one["cost"]["delta"], "basic"), places=9)
        # What is known of the noise lets composition gain.
        self.assertLess(accounted([event["event"] for one in history for event in one["events"]], 1e-5, "pld"), spent["epsilon"])


if __name__ == "__main__":
    unittest.main()
