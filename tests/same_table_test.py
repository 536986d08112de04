"""One budget for one table of a PostgreSQL, whatever it is called and wherever it is moved."""
import unittest

from postgres_case import PostgresCase
from support import discreet


class SameTable(PostgresCase):
    def ask_as(self, name, source):
        """A policy of its own about this table."""
        text = self.policy.read_text().replace('name = "clinic"', f'name = "{name}"').replace('source = "visits"', f'source = "{source}"')
        policy = self.folder / f"{name}.toml"
        policy.write_text(text)
        return discreet("sql", "--policy", policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", env=self.environment)

    def joined(self, name, source):
        done = self.ask_as(name, source)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("already has a budget, in the ledger", done.stderr)
        self.assertIn("the same table under another name", done.stderr)

    def answered(self, name, source):
        done = self.ask_as(name, source)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_renamed_and_moved(self):
        self.server.run("CREATE TABLE moving AS SELECT * FROM visits; CREATE SCHEMA archive")
        self.answered("first", "moving")
        self.answered("unrelated", "visits")
        for change, source in [("ALTER TABLE moving RENAME TO moved", "moved"), ("ALTER TABLE moved SET SCHEMA archive", "archive.moved"),
                               ("ALTER TABLE archive.moved RENAME TO moving", "archive.moving"), ("TRUNCATE archive.moving", "archive.moving")]:
            with self.subTest(change=change):
                self.server.run(change)
                self.joined("second", source)
        # The name it had belongs to its budget too; a table that never had one is left alone.
        self.server.run("CREATE TABLE moving AS SELECT * FROM visits; CREATE TABLE elsewhere AS SELECT * FROM visits")
        done = self.ask_as("third", "moving")
        self.assertEqual(done.returncode, 1)
        self.assertIn("already has a budget", done.stderr)
        self.answered("fourth", "elsewhere")

    def test_parts_of_a_table(self):
        self.server.run("""CREATE TABLE parted(patient bigint, ward text, cost float8, day date) PARTITION BY HASH (patient);
            CREATE TABLE part0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE part1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            INSERT INTO parted SELECT * FROM visits""")
        self.answered("whole", "parted")
        self.joined("part", "part0")
        # and the other way round
        self.server.run("CREATE TABLE parent(LIKE visits); CREATE TABLE child() INHERITS (parent); CREATE TABLE sibling() INHERITS (parent)")
        self.answered("child", "child")
        self.answered("sibling", "sibling")
        self.joined("parent", "parent")


if __name__ == "__main__":
    unittest.main()
