"""A folder with the tables and the policy of tests/sql/fixture.py, and the command run in it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import DISCREET, SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "sql"))
import fixture  # noqa: E402


class ClinicCase(unittest.TestCase):
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

    def spent(self):
        return json.loads(self.run_discreet("budget", "show", "--policy", self.policy, "--json").stdout)["spent"]["epsilon"]
