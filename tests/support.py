"""What the end-to-end tests share: the command under test and the source tree."""
import json
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

DISCREET = os.environ["DISCREET"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
BUILD = pathlib.Path(os.environ["BUILD"])


def slow(test):
    """Marks a test method or class that takes minutes: it is run by `make test-slow`, and something smaller by `make test`."""
    test.slow = True
    return test


def pseudo_terminal(test):
    """Both ends of a terminal. A machine may have none (no /dev/pts, as in a bare chroot): then the test says so."""
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(f"there are no pseudo-terminals here (no /dev/pts): {error}")


def discreet(*arguments, **options):
    """Runs the command; the result has returncode, stdout and stderr."""
    return subprocess.run([DISCREET, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def answer(*arguments, **options):
    """Runs the command with --json and returns the one object it prints."""
    done = discreet(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class PrivateServer:
    """tests/private-NAME, running as long as the object lives; `said` is the line it begins with."""

    def __init__(self, name, *options):
        self.process = subprocess.Popen([SOURCE / "tests" / f"private-{name}", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = self.process.stdout.readline().strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


class ServerCase(unittest.TestCase):
    """Questions by a policy about a server's tables, in a folder of their own; whoever inherits it writes the policy, with `rules`."""

    # of the table `visits`, after the policy's head
    rules = """budget = { epsilon = 1000000, delta = 0.5 }
[tables.visits]
source = "SOURCE"
key = "patient"
max_groups = 5
max_rows_per_group = 20
columns.cost = { range = [0, 100] }
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}
        self.policy = self.folder / "clinic.toml"

    def write_policy(self, head, source="visits", more=""):
        self.policy.write_text(f'[policy]\nname = "clinic"\nunit = "patient"\n{head}\n' + self.rules.replace("SOURCE", source) + more)
        return self.policy

    def ask(self, query, *options, epsilon="100000"):
        return answer("sql", "--policy", self.policy, "--epsilon", epsilon, "--delta", "1e-3", *options, query, env=self.environment)

    def spent(self):
        return answer("budget", "show", "--policy", self.policy, env=self.environment)["spent"]["epsilon"]

    def fails(self, *arguments, code, words):
        done = discreet(*arguments, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        return done.stderr

    def at_prompt(self):
        """The environment of `discreet sql` on a terminal."""
        return {**self.environment, "HOME": str(self.folder), "TERM": "xterm", "LC_ALL": "C"}

    # --- what every engine's tests ask of theirs

    def check_rows(self, got, rows):
        """Groups, a count and a sum, as the server itself says."""
        self.assertEqual([row[0] for row in got["rows"]], [row[0] for row in rows])
        for ours, theirs in zip(got["rows"], rows):
            self.assertAlmostEqual(ours[1], float(theirs[1]), delta=1)
            self.assertAlmostEqual(ours[2], float(theirs[2]), delta=1)

    def check_aggregates(self):
        for query in ("COUNT(DISTINCT ward)", "AVG(cost)", "VARIANCE(cost)", "MEDIAN(cost)", "MAX(cost)", "MODE(ward)", "COUNT(DISTINCT patient)"):
            with self.subTest(query=query):
                self.assertEqual(len(self.ask(f"SELECT {query} FROM visits")["rows"]), 1)

    def check_measured_bounds(self):
        self.policy.write_text(self.policy.read_text().replace("max_groups = 5\nmax_rows_per_group = 20\ncolumns.cost = { range = [0, 100] }\n", ""))
        got = self.ask("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward ORDER BY ward")
        self.assertEqual(len(got["rows"]), 5)
        self.assertAlmostEqual(got["rows"][0][1], 800, delta=20)
