#!/usr/bin/env python3
"""discreet policy init and check, and policies with mistakes."""
import json
import re
import unittest

from clinic import ClinicCase


class Command(ClinicCase):
    def test_policies_with_mistakes(self):
        good = (self.place / "data" / "policy.toml").read_text()
        for broken, message in [
            (good.replace("max_groups = 4", "max_group = 4"), "did you mean 'max_groups'?"),
            (good.replace("range = [0, 100]", "range = [100, 0]", 1), "the lowest value is above the highest"),
            (good.replace('key = "patient_id"', 'key = "patient"', 1), "did you mean 'patient_id'?"),
            (good.replace('key = "patient_id"\n', "", 1), "says not whose rows these are"),
            (good.replace("public = true", "public = 1"), "accepted is true or false"),
            (good.replace('to = "visits.visit_id"', 'to = "visit.visit_id"'), "did you mean 'visits'?"),
            (good.replace("columns.cost =", "columns.costs =", 1), "columns.costs"),
            (good.replace('type = "timestamp"', 'type = "timestmp"'), "did you mean 'timestamp'?"),
            (good.replace("budget = { epsilon = 1000000, delta = 0.9 }", "budget = { delta = 0.9 }"), "ε has no default"),
            ("[policy", "line 1"),
        ]:
            with self.subTest(message=message):
                self.assertNotEqual(good, broken)
                self.assertIn(message, self.run_discreet("policy", "check", self.write_policy(broken), code=2).stderr)
        self.run_discreet("policy", "check", self.place / "none.toml", code=1)
        self.run_discreet("policy", "check", self.write_policy(good.replace("visits.csv", "gone.csv")), code=1)

    def test_policy_init(self):
        data = self.place / "data"
        out = data / "first.toml"
        begin = ["policy", "init", data / "visits.csv", data / "people.csv", data / "prescriptions.csv", data / "refills.jsonl", data / "drugs.csv", "--key", "patient_id", "--budget-epsilon", "10000"]
        written = self.run_discreet(*begin, "-o", out)
        self.assertIn(f"discreet policy check {out}", written.stdout)
        self.assertIn("drugs", written.stderr)
        policy = out.read_text()
        declared = re.sub(r"(?m)#.*$", "", policy)
        for word in ["range", "values", "max_rows", "max_groups", "max_rows_per_group", "rows_per_unit", "drugs"]:
            self.assertNotIn(word, declared)
            self.assertIn(word, policy)
        self.assertIn('unit = "patient"', declared)
        self.assertIn('link = { column = "visit_id", to = "visits.visit_id" }', declared)
        checked = self.run_discreet("policy", "check", out).stdout
        self.assertIn("rows of people, refills and visits belong to the patient in patient_id", checked)
        # it can be asked at once
        self.assertEqual([[220]], json.loads(self.run_discreet("sql", "--policy", out, "--epsilon", "1000", "--json", "SELECT COUNT(*) FROM people").stdout)["rows"])
        # nothing is overwritten unless said
        self.assertIn("--force", self.run_discreet(*begin, "-o", out, "--unit", "child", code=2).stderr)
        self.assertEqual(policy, out.read_text())
        self.run_discreet(*begin, "-o", out, "--unit", "child", "--force")
        self.assertIn('unit = "child"', out.read_text())
        said = json.loads(self.run_discreet(*begin, "--json").stdout)
        self.assertEqual([("key", "patient_id")] * 2, [("key", table["key"]) for table in said["tables"][:2]])
        self.assertEqual({"column": "visit_id", "to": "visits.visit_id"}, said["tables"][2]["link"])
        self.assertTrue(said["tables"][4]["left_out"])
        # the budget's flags are the budget's
        text = self.run_discreet(*begin[:-1], "ln(3)", "--budget-delta", "1e-9").stdout
        self.assertIn('budget = { epsilon = "ln(3)", delta = 1e-9 }', text)
        self.run_discreet(*begin, "--epsilon", "0.1", code=2)

    def test_policy_init_refuses_in_one_sentence_and_writes_nothing(self):
        data = self.place / "data"
        (data / "notes.txt").write_text("x")
        (data / "twice.csv").write_text("a,b,A\n1,2,3\n")
        (data / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
        (data / "broken.duckdb").write_bytes(b"nothing")
        for arguments, code, message in [
            ([data / "people.csv", "--key", "patiend_id"], 2, "did you mean 'patient_id'?"),
            ([data / "gone.csv", "--key", "a"], 1, "there is no file"),
            ([data, "--key", "a"], 2, "is a folder"),
            ([data / "notes.txt", "--key", "a"], 2, "is of no known kind"),
            ([data / "twice.csv", "--key", "b"], 2, "two columns are called 'A'"),
            ([data / "broken.parquet", "--key", "a"], 1, "can't be read"),
            ([data / "broken.duckdb", "--key", "a"], 1, "can't be opened"),
            ([str(data / "broken.duckdb") + "#", "--key", "a"], 2, "names no table"),
            ([data / "people.csv", data / ".." / "data" / "people.csv", "--key", "patient_id"], 2, "is given twice"),
            ([data / "people.csv", "--key", ""], 2, "--key: found nothing"),
            ([data / "people.csv", "--key", "patient_id", "--budget-epsilon", "0"], 2, "--budget-epsilon: found '0'"),
            ([data / "people.csv", "--key", "patient_id", "--budget-delta", "1"], 2, "--budget-delta: found 1"),
            ([data / "none-*.csv", "--key", "patient_id"], 1, "no file matches"),
        ]:
            with self.subTest(message=message):
                out = data / "new.toml"
                refused = self.run_discreet("policy", "init", *arguments, "-o", out, code=code).stderr
                self.assertIn(message, refused)
                self.assertEqual(1, refused.count("\n"))
                self.assertFalse(out.exists())

    def test_policy_init_shows_no_address_of_a_server(self):
        for address in ["postgresql://u:hunter2@h/db", "postgres://u:hunter2@h/db?sslmode=require", "POSTGRESQL://u:hunter2@h/db#x", "https://u:hunter2@h", "http://u:hunter2@h/visits.csv", "host=h dbname=d password=hunter2",
                        "dbname=d password=hunter2*", "password = hunter2"]:
            with self.subTest(address=address):
                refused = self.run_discreet("policy", "init", address, "--key", "x", code=2).stderr
                self.assertIn("policy init looks at files only (docs/engines.md shows how a server's policy is written)", refused)
                self.assertNotIn("hunter2", refused)
        # a file may have such a name
        folder = self.place / "data" / "host=web"
        folder.mkdir()
        (folder / "a.csv").write_text("id\n1\n")
        for source in ["host=web/a.csv", "host=*/a.csv"]:
            self.assertIn("key = \"id\"", self.run_discreet("policy", "init", source, "--key", "id", cwd=self.place / "data").stdout)
        self.assertIn("there is no file 'host=web/b.csv'", self.run_discreet("policy", "init", "host=web/b.csv", "--key", "id", code=1).stderr)

    def test_a_policy_shows_no_password(self):
        good = (self.place / "data" / "policy.toml").read_text()
        for line, place in [('ledger = "postgresql://u:hunter2@h/db#x"', "policy.ledger"), ('ledger = "host=h password=hunter2"', "policy.ledger"), ('engine = "postgres"\ndsn = "postgresql://u:hunter2@h/db"', "policy.dsn")]:
            policy = self.write_policy(good.replace("[policy]\n", f"[policy]\n{line}\n"))
            for command in [["policy", "check", policy], ["budget", "show", "--policy", policy], ["sql", "--policy", policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits"]]:
                with self.subTest(line=line, command=command[0]):
                    refused = self.run_discreet(*command, code=2).stderr
                    self.assertIn(f"{place}: there is a password in the policy", refused)
                    self.assertNotIn("hunter2", refused)

    def test_policy_check_says_what_hidden_means(self):
        self.assertIn("hidden: it may stand in WHERE and COUNT, not in the answer", self.run_discreet("policy", "check", self.place / "data" / "policy.toml").stdout)
        self.sql("SELECT COUNT(*) FROM people WHERE name = 'x'")
        self.sql("SELECT COUNT(name) FROM people")

    def test_policy_check_tells_all_that_is_wrong(self):
        data = self.place / "data"
        (data / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
        (data / "broken.duckdb").write_bytes(b"nothing")
        head = '[policy]\nname = "w"\nunit = "u"\nbudget = { epsilon = 1 }\n'
        table = '[tables.{}]\nsource = "{}"\nkey = "patient_id"\n'
        sources = {"a": "gone.csv", "b": "broken.parquet", "c": "people.csv", "d": "broken.duckdb#t", "d2": "broken.duckdb#u", "e": "gone.parquet"}
        policy = self.write_policy(head + "".join(table.format(*item) for item in sources.items()))
        said = self.run_discreet("policy", "check", policy, code=1).stderr
        for word in ["gone.csv", "broken.parquet", "broken.duckdb", "gone.parquet"]:
            self.assertIn(word, said)
        self.assertEqual(4, said.count("\n"), said)

    def test_policy_check_warns_of_values_that_cannot_match(self):
        data = self.place / "data"
        self.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "--format", "parquet", "-o", data / "n.parquet")
        policy = self.write_policy("""[policy]
name = "w"
unit = "patient"
budget = { epsilon = 3, delta = 1e-6 }
[tables.visits]
source = "visits.csv"
key = "patient_id"
columns.ward = { values = ["A", "B", "a", " C"] }
columns.day = { type = "date", range = ["2022-01-01", "2024-12-31"] }
columns.nights = { type = "integer", range = [0, 10], values = [1, 2, 11] }
[tables.n]
source = "n.parquet"
key = "ward"
columns.n = { values = ["1", "01", "many"] }
""")
        said = self.run_discreet("policy", "check", policy).stdout
        self.assertIn("Each patient is protected: rows of n belong to the patient in ward; rows of visits belong to the patient in patient_id.", said)
        self.assertIn("2022-01-01 to 2024-12-31", said)
        warnings = [line for line in said.splitlines() if line.startswith("warning: ")]
        for line, words in zip(warnings, [["columns.n", "'01'"], ["columns.n", "'many'", "integer"], ["'A' and 'a'"], ["' C'", "blank"], ["11", "0 to 10"]], strict=True):
            for word in words:
                self.assertIn(word, line)
        about = json.loads(self.run_discreet("policy", "check", policy, "--json").stdout)
        self.assertEqual([line[9:] for line in warnings], about["warnings"])
        day = [column for table in about["tables"] for column in table["columns"] if column["name"] == "day"][0]
        self.assertEqual(["2022-01-01", "2024-12-31"], day["range"])
        self.assertEqual([], json.loads(self.run_discreet("policy", "check", self.policy, "--json").stdout)["warnings"])


if __name__ == "__main__":
    unittest.main()
