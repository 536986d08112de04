"""Nobody, one person and a person whose row is no row are told alike: no command fails, or says something else, for what rows hold."""
import json
import os
import pathlib
import tempfile
import unittest

from support import discreet

HEADER = "id,age,days,ward,ill\n"
# of one person: nobody, a row, rows that can't be read as what they should be
TABLES = [HEADER, HEADER + "7,40,3,A,1\n", HEADER + "7,nan,inf,,x\n", HEADER + "7\n", HEADER + ',"\n', HEADER + "7,1e999,-1e999,\xff,2,9,9\n", HEADER.rstrip("\n")]


class Nobody(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}

    def told(self, arguments, released):
        """The exit code, what is said on standard error, and the names of what is printed; all else is drawn with noise."""
        done = discreet(*arguments, "--json", cwd=self.folder, env=self.environment)
        if not done.stdout:
            return done.returncode, done.stderr, []
        found = json.loads(done.stdout)
        return done.returncode, done.stderr, sorted(found), {name: found[name] for name in released if name in found}

    def alike(self, arguments, released=(), before=lambda: None):
        """All tables are told the same of, and that is an answer."""
        seen = set()
        for table in TABLES:
            (self.folder / "t.csv").write_bytes(table.encode("latin-1"))
            before()
            told = self.told(arguments, released)
            self.assertEqual(told[0], 0, f"{arguments} of {table!r}: {told[1]}")
            seen.add(repr(told))
        self.assertEqual(len(seen), 1, seen)

    def test_learning(self):
        given = ["--train", "t.csv", "--label", "ill", "--examples", "100", "--epsilon", "1", "--delta", "1e-5"]
        for more in [["sgd", "--steps", "3", "--classes", "2", "--bounds", "age=0:100,days=0:30", "--features", "age,days", "--fresh"],
                     ["erm", "--classes", "2", "--bounds", "age=0:100,days=0:30", "--features", "age,days"], ["regression", "--bounds", "age=0:100,days=0:30,ill=0:1", "--features", "age,days"]]:
            with self.subTest(more[0]):
                self.alike(["learn", *more, *given, "-o", "m.model"], ["examples", "examples_declared", "epsilon", "delta"])

    def test_learning_by_a_policy(self):
        def fresh():
            self.number += 1
            (self.folder / "p.toml").write_text(
                f'[policy]\nname = "p{self.number}"\nunit = "person"\nbudget = {{ epsilon = 1000, delta = 0.5 }}\n[tables.t]\nsource = "t.csv"\nkey = "id"\n'
                'columns.id = { type = "integer" }\ncolumns.age = { type = "double", range = [0, 100] }\ncolumns.days = { type = "double", range = [0, 30] }\n'
                'columns.ill = { type = "integer", values = [0, 1] }\n')
        self.number = 0
        given = ["--policy", "p.toml", "--train", "t", "--label", "ill", "--features", "age,days", "--examples", "100", "--epsilon", "1", "--delta", "1e-5"]
        for more in [["sgd", "--steps", "3", "--fresh"], ["erm"]]:
            with self.subTest(more[0]):
                fresh()
                self.alike(["learn", *more, *given, "-o", f"{more[0]}.model"], ["examples", "examples_declared", "epsilon", "delta"])

    def test_blocks(self):
        given = ["mechanism", "sample-aggregate", "--data", "t.csv", "--unit", "id", "--blocks", "8", "--epsilon", "50"]
        for more in [["--query", "SELECT MAX(ward) FROM data", "--delta", "1e-3"], ["--query", "SELECT SUM(CAST(days AS INTEGER)) FROM data", "--aggregate", "mean", "--range", "0,9"]]:
            self.alike([*given, *more], ["guarantee", "blocks"])

    def test_questions(self):
        (self.folder / "p.toml").write_text(
            '[policy]\nname = "p"\nunit = "person"\nbudget = { epsilon = 100000, delta = 0.9 }\n[tables.t]\nsource = "t.csv"\nkey = "id"\n'
            'columns.id = { type = "integer" }\ncolumns.age = { type = "double", range = [0, 100] }\ncolumns.days = { type = "integer" }\ncolumns.ward = { values = ["A", "B"] }\n'
            'columns.ill = { type = "integer", values = [0, 1] }\n')
        for query in ["SELECT COUNT(*), AVG(age), MEDIAN(age), MAX(age), STDDEV(age), MODE(ward) FROM t", "SELECT ward, COUNT(*) FROM t GROUP BY ward",
                      "SELECT AVG(m) FROM (SELECT id, LEAST(GREATEST(AVG(age), 0), 9) AS m FROM t GROUP BY id)"]:
            for more in [["--max-groups", "2", "--max-rows", "2"], []]:
                self.alike(["sql", "--policy", "p.toml", "--epsilon", "1", "--delta", "1e-6", *more, query], ["columns", "guarantee"])


if __name__ == "__main__":
    unittest.main()
