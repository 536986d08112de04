#!/usr/bin/env python3
"""What discreet sql prints, writes and draws: formats, files, pictures."""
import csv
import io
import json
import os
import re
import unittest
from xml.etree import ElementTree

from clinic import ClinicCase


class Command(ClinicCase):
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

    def test_a_question_about_nobody_says_that_its_bound_is_a_guess(self):
        """Of what is declared nothing is guessed."""
        asked = ["sql", "--policy", self.policy, "--bounds", "auto", "--epsilon", "0.4"]
        told = json.loads(self.run_discreet(*asked, "--json", "SELECT COUNT(*) FROM visits WHERE cost < -1").stdout)
        self.assertTrue(told["left_out"]["max_rows_is_a_guess"])
        self.assertIn("so how many may count is a guess; say it with --max-rows-total", self.run_discreet(*asked, "SELECT COUNT(*) FROM visits WHERE cost < -2").stdout)
        told = json.loads(self.run_discreet(*asked[:3], "--epsilon", "0.4", "--json", "SELECT COUNT(*) FROM visits").stdout)  # declared
        self.assertNotIn("max_rows_is_a_guess", told["left_out"])

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


if __name__ == "__main__":
    unittest.main()
