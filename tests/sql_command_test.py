#!/usr/bin/env python3
"""discreet sql, explain and policy as a person meets them: formats, policies with mistakes, budgets, interruptions, odd files."""
import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

from support import DISCREET, SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "sql"))
import fixture  # noqa: E402


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name)
        self.policy = fixture.write(self.place / "data")
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state"), "HOME": str(self.place)}

    def tearDown(self):
        self.folder.cleanup()

    def run_discreet(self, *arguments, code=0, **options):
        done = subprocess.run([DISCREET, *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=120, **options)
        self.assertEqual(code, done.returncode, done.stderr + done.stdout)
        if code != 0:
            self.assertEqual("", done.stdout)
        return done

    def sql(self, query, *options, code=0, **more):
        return self.run_discreet("sql", "--policy", self.policy, "--epsilon", "5000", "--delta", "1e-3", *options, query, code=code, **more)

    def write_policy(self, text):
        path = self.place / "data" / "other.toml"
        path.write_text(text)
        return path

    QUERY = "SELECT ward, COUNT(*) AS n, AVG(nights) AS a FROM visits GROUP BY ward"

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
        (self.place / "data" / f"{name}.csv").write_text((self.place / "data" / "visits.csv").read_text())
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

    def test_json_has_the_promised_keys(self):
        answer = json.loads(self.sql(self.QUERY, "--json").stdout)
        self.assertEqual(["columns", "rows", "intervals", "left_out", "guarantee", "spent", "remaining", "receipt", "plan"], list(answer))
        self.assertEqual(["ward", "n", "a"], answer["columns"])
        self.assertEqual({"id", "hash"}, set(answer["receipt"]))
        for row, intervals in zip(answer["rows"], answer["intervals"]):
            self.assertIsNone(intervals[0])
            for value, interval in list(zip(row, intervals))[1:]:
                self.assertLessEqual(interval[0], value)
                self.assertGreaterEqual(interval[1], value)

    def test_formats(self):
        table = self.sql(self.QUERY).stdout
        self.assertIn("ward", table)
        self.assertRegex(table, r"left: ε")
        rows = list(csv.DictReader(io.StringIO(self.sql(self.QUERY, "--format", "csv").stdout)))
        self.assertEqual(4, len(rows))
        self.assertLessEqual({"ward", "n", "a"}, set(rows[0]))
        lines = [json.loads(line) for line in self.sql(self.QUERY, "--format", "jsonlines").stdout.splitlines()]
        self.assertEqual(["A", "B", "C", "D"], [line["ward"] for line in lines])
        self.assertTrue(self.sql(self.QUERY, "--format", "markdown").stdout.startswith("| ward | n | a |\n|---|---:|---:|\n"))
        parquet = self.place / "answer.parquet"
        self.sql(self.QUERY, "--format", "parquet", "-o", parquet)
        self.assertEqual(b"PAR1", parquet.read_bytes()[:4])
        picture = self.place / "answer.svg"
        self.sql(self.QUERY, "--plot", picture)
        self.assertIn("<svg", picture.read_text())

    def test_plots(self):
        def draw(query):
            picture = self.place / "answer.svg"
            self.run_discreet("sql", "--policy", self.policy, "--epsilon", "2", "--delta", "1e-3", "--plot", picture, query)
            ElementTree.parse(picture)
            return picture.read_text()
        bars = draw(self.QUERY)
        self.assertIn(">n by ward</text>", bars)  # counts of 130, means of 4: a picture each
        self.assertIn(">a by ward</text>", bars)
        self.assertEqual(8, bars.count("<rect") - 2 - bars.count("url(#hatch)"))  # counts may have a hatched part
        # over a number the line goes from left to right whatever the order of the rows
        line = draw("SELECT CASE WHEN nights < 3 THEN 0 WHEN nights < 5 THEN 3 ELSE 5 END AS low, COUNT(*) AS n FROM visits GROUP BY low ORDER BY n")
        for path in re.findall(r'<path d="M([0-9. L]+)" fill="none" stroke=', line):
            across = [float(point.split()[0]) for point in path.split("L")]
            self.assertEqual((3, sorted(across)), (len(across), across))
        # over dates it is a line too, one for each other key
        dates = draw("SELECT day, ward, COUNT(*) AS n FROM visits GROUP BY day, ward")
        self.assertIn(">2022<", dates)
        self.assertEqual(4, dates.count("fill-opacity"))  # days and wards are public: also D, where nobody was
        self.assertIn("nothing to show", draw("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 9999"))
        self.assertNotIn(">-0.4<", draw("SELECT COUNT(*) AS n FROM visits"))

    def test_where_the_query_comes_from(self):
        file = self.place / "query.sql"
        file.write_text("SELECT COUNT(*)\nFROM visits\n")
        common = ["sql", "--policy", self.policy, "--epsilon", "5000", "--json"]
        self.assertEqual([[400]], json.loads(self.run_discreet(*common, "-f", file).stdout)["rows"])
        self.assertEqual([[400]], json.loads(self.run_discreet(*common, input="SELECT COUNT(*) FROM visits").stdout)["rows"])
        self.run_discreet(*common, input="  \n", code=2)
        self.run_discreet(*common, "-f", file, "SELECT 1", code=2)

    FORMATS = ["table", "csv", "json", "jsonlines", "markdown", "parquet"]

    def test_every_format_holds_the_same_numbers(self):
        query = "SELECT ward, COUNT(*) AS n, AVG(cost) AS a, MEDIAN(day) AS d FROM visits GROUP BY ward"
        common = ["sql", "--policy", self.policy, "--epsilon", "20", "--max-rows", "1"]
        truth = json.loads(self.run_discreet(*common, "--json", query).stdout)
        names, expected = truth["columns"], truth["rows"]
        file = {form: self.place / f"answer.{form}" for form in self.FORMATS}
        for form in self.FORMATS:  # the one answer, given again
            done = self.run_discreet(*common, "--reuse", "--format", form, "-o", file[form], query)
            self.assertEqual("", done.stdout)
        self.assertEqual((names, expected, truth["intervals"]), tuple(map(json.loads(file["json"].read_text()).get, ["columns", "rows", "intervals"])))
        number = {"n": int, "a": float}
        read = lambda row: [number.get(name, str)(row[name]) for name in names]
        rows = list(csv.DictReader(io.StringIO(file["csv"].read_text())))
        self.assertEqual(expected, [read(row) for row in rows])
        self.assertEqual([intervals[1:3] for intervals in truth["intervals"]],
                         [[[float(row["n_lower"]), float(row["n_upper"])], [float(row["a_lower"]), float(row["a_upper"])]] for row in rows])
        lines = [json.loads(line) for line in file["jsonlines"].read_text().splitlines()]
        self.assertEqual(expected, [[line[name] for name in names] for line in lines])
        self.assertEqual([intervals[2] for intervals in truth["intervals"]], [line["a_interval"] for line in lines])
        # what people read is rounded to what the error leaves
        shown = [line.strip("| ").split("|") for line in file["markdown"].read_text().splitlines()[2:]]
        table = [re.split(r"  +", line.strip()) for line in file["table"].read_text().splitlines()[2:2 + len(shown)]]
        self.assertEqual([[cell.strip() for cell in line] for line in shown], table)
        for line, row, intervals in zip(table, expected, truth["intervals"]):
            self.assertEqual([row[0], str(row[1]), row[3]], [line[0], line[1].split(" ± ")[0], line[3].split(" ± ")[0]])
            value, margin = map(float, line[2].split(" ± "))
            self.assertAlmostEqual(row[2], value, delta=margin)
            self.assertAlmostEqual(max(intervals[2][1] - row[2], row[2] - intervals[2][0]), margin, delta=0.06 * margin)
        # Parquet, read back through a policy where it is public
        policy = self.write_policy(f'[policy]\nname = "back"\nunit = "nobody"\nbudget = {{ epsilon = 1 }}\n[tables.answer]\nsource = "{file["parquet"]}"\npublic = true\n')
        back = json.loads(self.run_discreet("sql", "--policy", policy, "--json", "SELECT ward, n, a, d, n_lower, n_upper, a_lower, a_upper FROM answer ORDER BY ward").stdout)
        self.assertEqual([row + one[1] + one[2] for row, one in zip(expected, truth["intervals"])], back["rows"])

    def test_what_cannot_be_written_costs_nothing(self):
        (self.place / "folder").mkdir()
        (self.place / "plain").write_text("a file, not a folder")
        (self.place / "dangling").symlink_to(self.place / "gone" / "x")
        for wrong in [self.place / "nowhere" / "x.csv", self.place / "folder", self.place / "plain" / "x", self.place / ("x" * 300), self.place / "dangling", "/proc/x"]:
            for form in self.FORMATS:
                self.sql(self.QUERY, "--format", form, "-o", wrong, code=2)
        (self.place / "folder.svg").mkdir()
        (self.place / "dangling.svg").symlink_to(self.place / "gone" / "x.svg")
        for wrong in [self.place / "nowhere" / "x.svg", self.place / "folder.svg", self.place / "plain" / "x.svg", self.place / ("x" * 300 + ".svg"), self.place / "dangling.svg", "/proc/x.svg"]:
            self.assertIn("can't be written", self.sql(self.QUERY, "--plot", wrong, code=2).stderr)
        self.sql(self.QUERY, "--format", "parquet", code=2)
        self.sql(self.QUERY, "--format", "xml", code=2)
        self.sql(self.QUERY, "-o", self.place / "same.svg", "--plot", self.place / "folder" / ".." / "same.svg", code=2)
        self.assertEqual(0, self.spent())

    def test_files_are_written_whole_or_not_at_all(self):
        place = self.place / "out"
        place.mkdir()
        os.umask(0o022)
        for form in self.FORMATS:
            with self.subTest(form=form):
                file = place / "answer"
                file.write_text("what stood here")
                file.chmod(0o640)
                # refused, or over the budget: the file is as it was
                self.sql("SELECT patient_id FROM visits", "--format", form, "-o", file, code=3)
                self.run_discreet("sql", "--policy", self.policy, "--epsilon", "200000", "--format", form, "-o", file, self.QUERY, code=4)
                ask = ["sql", "--policy", self.policy, "--epsilon", "5000", "--format", form, "-o", file, self.QUERY]
                self.assertEqual("what stood here", file.read_text())
                self.assertEqual([file], list(place.iterdir()))
                # and written, it keeps its rights
                self.run_discreet(*ask)
                self.assertNotIn(b"what stood here", file.read_bytes())
                self.assertEqual(0o640, file.stat().st_mode & 0o777)
                self.assertEqual([file], list(place.iterdir()))
                file.unlink()
                self.run_discreet(*ask)
                self.assertEqual(0o644, file.stat().st_mode & 0o777)
                file.unlink()
        (place / "link").symlink_to(place / "real")
        self.sql(self.QUERY, "--format", "csv", "-o", place / "link")
        self.assertTrue((place / "link").is_symlink() and (place / "real").read_text().startswith("ward,"))
        self.assertIn("--reuse to get it again", self.sql(self.QUERY, "--format", "csv", "-o", "/dev/full", code=1).stderr)
        self.assertTrue(self.sql(self.QUERY, "--format", "csv", "-o", "/dev/stdout").stdout.startswith("ward,"))

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

    def test_pictures_are_svg(self):
        """A name that promises another kind is refused everywhere, before anything is spent or written."""
        ask = ["--policy", self.policy]
        commands = [["sql", *ask, "--epsilon", "1", self.QUERY], ["budget", "show", *ask], ["budget", "history", *ask],
                    ["account", "epsilon", "--delta", "1e-5", "laplace(scale=3)"], ["account", "tradeoff", "laplace(scale=3)"], ["account", "compare", "laplace(scale=3)", "--delta", "1e-5"],
                    ["mechanism", "laplace", "--value", "4", "--sensitivity", "1", "--epsilon", "1"], ["channel", "epsilon", "coin.csv"],
                    ["channel", "make", "geometric", "--size", "3", "--epsilon", "1", "--from", "0", "--to", "2"], ["channel", "optimal", "--graph", "path", "--size", "3", "--epsilon", "1", "--prior", "uniform", "--gain", "identity"]]
        for command in commands:
            for name, hint in [("x.png", "rsvg-convert --format png --output x.png x.svg"), ("a b.PDF", "--plot 'a b.svg'"), ("picture", "--plot picture.svg"), ("x.csv", "--plot x.svg")]:
                with self.subTest(command=command[:2], name=name):
                    said = self.run_discreet(*command, "--plot", name, code=2, cwd=self.place).stderr
                    self.assertIn("accepted is a name that ends in .svg", said)
                    self.assertIn(hint, said)
                    self.assertFalse((self.place / name).exists())
        self.assertEqual(0, self.spent())
        self.sql(self.QUERY, "--plot", "/dev/null")
        self.sql(self.QUERY, "--plot", self.place / "X.SVG")

    def test_a_query_never_fails_because_of_rows(self):
        """Fifty files of arbitrary bytes: every one is answered."""
        import random
        draw = random.Random(11)
        pieces = [b'"', b",", b"\n", b"\r\n", b"\r", b"a", b"1", b"\xff", b"\xc3\x28", b"\x00", b'""', b" ", b"\\", b"#", b"\xe2\x82", b"Z" * 300, b"1e999", b"inf", b"-", b"2020-01-01"]
        policy = self.write_policy("""
[policy]
name = "bytes"
unit = "row"
budget = { epsilon = 1000000, delta = 0.5 }
[tables.t]
source = "bytes.csv"
key = "a"
columns.b = { range = [0, 10] }
columns.c = { type = "date" }
max_groups = 5
""")
        for _ in range(25):
            body = b"".join(draw.choice(pieces) for _ in range(draw.randrange(300)))
            (self.place / "data" / "bytes.csv").write_bytes(b"a,b,c\n1,2,3\n" + body + b"\n7,8,9\n")
            self.run_discreet("sql", "--policy", policy, "--epsilon", "1", "--delta", "1e-3", "--json",
                              "SELECT year(c), COUNT(*), SUM(b), AVG(b), MEDIAN(b), COUNT(DISTINCT c), SUM(LEAST(GREATEST(b / (b - 2), 0), 1)) FROM t WHERE ln(b) > -5 OR b IS NULL OR sqrt(b) < 3 GROUP BY 1")

    def test_one_row_is_one_row(self):
        """A field of 1.9 MB that looks like 50,000 people's rows, right behind the first eight megabytes and before them."""
        forged = "\n".join(f"{i},c,000000000000000000000000" for i in range(9_000_000, 9_050_000))
        others = [f"{i},ward,remark\n" for i in range(600_000)]
        policy = self.write_policy('[policy]\nname = "w"\nunit = "u"\nbudget = { epsilon = 1000000 }\n[tables.t]\nsource = "wide.csv"\nkey = "u"\ncolumns.u = { type = "integer" }\n')
        for before in [300_000, 390_000, 440_000]:
            with open(self.place / "data" / "wide.csv", "w", newline="") as f:
                f.write("u,k,x\n" + "".join(others[:before]) + f'5000000,"{forged}",1\n' + "".join(others[before:]))
            answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(DISTINCT u), COUNT(*) FROM t").stdout)
            self.assertEqual([[600_001, 600_001]], answer["rows"])

    JSON_POLICY = """
[policy]
name = "json"
unit = "person"
budget = { epsilon = 1000000 }
[tables.t]
source = "SOURCE"
key = "who"
columns.x = { type = "integer", range = [0, 10] }
max_rows_per_group = 2
"""

    def test_json_arrays_and_lines(self):
        """The form of a .json file is its first character's, unless the policy says it; no row has a say in it."""
        folder = self.place / "data"
        rows = [{"who": f"w{i}", "x": i % 4, "more": {"a": [i]}} for i in range(100)]
        lines = "\n".join(map(json.dumps, rows)) + "\n"
        array = json.dumps(rows)
        for name, text in [("lines.json", lines), ("array.json", array), ("indented.json", "\ufeff\n " + json.dumps(rows, indent=2)), ("array.jsonl", array),
                           ("lines.jsonl", "[1, 2]\n" + lines), ("odd.json", "[1, 2]\n" + lines), ("part-1.json", json.dumps(rows[:40])), ("part-2.json", json.dumps(rows[40:])),
                           ("empty.json", ""), ("none.json", "[]"), ("cut.json", array[:-1] + ', {"who": "w7", "x"'), ("broken.json", "[{broken}, " + array[1:])]:
            (folder / name).write_text(text)
        for source, key, count in [("lines.json", "", 100), ("array.json", "", 100), ("indented.json", "", 100), ("lines.jsonl", "", 100), ("part-*.json", "", 100),
                                   ("array.json", "array", 100), ("array.jsonl", "array", 100), ("lines.json", "lines", 100), ("odd.json", "lines", 100),
                                   ("array.jsonl", "", 0), ("array.json", "lines", 0), ("empty.json", "", 0), ("none.json", "", 0), ("empty.json", "array", 0),
                                   ("cut.json", "", 100), ("broken.json", "", 100)]:
            with self.subTest(source=source, key=key):
                policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", source).replace("key =", f'format = "{key}"\nkey =' if key else "key ="))
                answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(*), SUM(x) FROM t").stdout)
                self.assertEqual([[count, 1.5 * count]], answer["rows"])
        for key, source, message in [("arry", "array.json", "did you mean 'array'?"), ("newline_delimited", "array.json", "unknown format"), ("array", "people.csv", "only JSON files have one")]:
            policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", source).replace("key =", f'format = "{key}"\nkey ='))
            self.assertIn(message, self.run_discreet("policy", "check", policy, code=2).stderr)
        # Each line stands alone, and none is too long.
        for number, line in enumerate(["[", "[[[[", '[{"who":"w5000"},', '{"who":"w5000",', '{"who":"w5000","more":[', '{"who":"' + "x" * 140_000_000 + '"}']):
            (folder / "alone.jsonl").write_text(line + "\n" + lines + line)
            policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", "alone.jsonl"))
            answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(*), SUM(x) FROM t").stdout)
            self.assertEqual([[100, 150]], answer["rows"], number)
        self.run_discreet("policy", "init", folder / "array.json", "--key", "who", "-o", folder / "first.toml")
        self.assertEqual(0, self.run_discreet("policy", "check", folder / "first.toml").returncode)

    def test_a_file_that_is_broken_says_nothing_of_itself(self):
        secret = "TheSecretName"
        (self.place / "data" / "broken.parquet").write_bytes(b"PAR1" + secret.encode() * 100 + b"PAR1")
        policy = self.write_policy('[policy]\nname = "b"\nunit = "u"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "broken.parquet"\nkey = "a"\n')
        self.assertNotIn(secret, self.run_discreet("sql", "--policy", policy, "--epsilon", "1", "SELECT COUNT(*) FROM t", code=1).stderr)

    # One patient with many visits, joined with themselves: more work than anyone waits for.
    ENDLESS = "SELECT COUNT(*) FROM visits AS a JOIN visits AS b ON a.patient_id = b.patient_id"

    def write_endless(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:
            for i in range(200_000):
                rows.write(f"{i},5,A,c,1,1,2020-01-01,,true,1,1\n")

    def spent(self):
        return json.loads(self.run_discreet("budget", "show", "--policy", self.policy, "--json").stdout)["spent"]["epsilon"]

    def test_ended_by_others_leaves_no_folder(self):
        self.write_endless()
        folder = self.place / "temporary"
        folder.mkdir()
        for number, sent in enumerate([signal.SIGTERM, signal.SIGHUP]):
            asked = subprocess.Popen([DISCREET, "sql", "--policy", str(self.policy), "--epsilon", "7", self.ENDLESS], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env={**self.environment, "TMPDIR": str(folder)})
            while self.spent() == 7 * number:  # until it is reserved
                self.assertIsNone(asked.poll())
                time.sleep(0.05)
            self.assertNotEqual([], list(folder.iterdir()))
            asked.send_signal(sent)
            out, err = asked.communicate(timeout=60)
            self.assertEqual((130, ""), (asked.returncode, out), err)
            self.assertEqual([], list(folder.iterdir()))

    def test_interrupted_stays_spent(self):
        self.write_endless()
        asked = subprocess.Popen([DISCREET, "sql", "--policy", str(self.policy), "--epsilon", "7", self.ENDLESS],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        while self.spent() == 0:  # until it is reserved
            self.assertIsNone(asked.poll())
            time.sleep(0.05)
        asked.send_signal(signal.SIGINT)
        out, err = asked.communicate(timeout=60)
        self.assertEqual((130, ""), (asked.returncode, out), err)
        self.assertEqual("discreet: interrupted; what was reserved for this query stays spent\n", err)
        self.assertEqual(7, self.spent())

    def test_a_time_limit_stays_spent(self):
        self.write_endless()
        late = self.run_discreet("sql", "--policy", self.policy, "--epsilon", "7", "--timeout", "0.2", self.ENDLESS, code=1)
        self.assertEqual("discreet: the query took longer than allowed; what was reserved for it stays spent\n", late.stderr)
        self.assertEqual(7, self.spent())
        for wrong in ["0", "-1", "soon"]:
            self.run_discreet("sql", "--policy", self.policy, "--epsilon", "7", "--timeout", wrong, self.ENDLESS, code=2)
        self.assertEqual(7, self.spent())

    def test_little_memory_means_passes_not_failure(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:
            for i in range(400_000):
                rows.write(f"{i},{1000 + i},A,c{i % 50},1,1,2020-01-01,,true,1,1\n")
        query = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
        self.assertEqual(json.loads(self.sql(query, "--json").stdout)["rows"], json.loads(self.sql(query, "--json", "--memory", "128").stdout)["rows"])


if __name__ == "__main__":
    unittest.main()
