#!/usr/bin/env python3
"""The prompt of `discreet sql` on a pseudo-terminal, as a person uses it."""
import os
import pathlib
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from support import DISCREET, SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "sql"))
import fixture  # noqa: E402

try:
    import pty
    for end in pty.openpty():
        os.close(end)
    WHY_NOT = None
except (ImportError, OSError) as error:
    WHY_NOT = f"there are no pseudo-terminals here: {error}"

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x07]")
FRESH, MORE = "discreet> ", "     ...> "


class Terminal:
    """The command on a terminal of its own. Nothing waits longer than `patience` seconds."""

    def __init__(self, *arguments, environment, patience=15):
        self.patience = patience
        self.seen = ""  # since the last expect
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            try:
                os.execve(DISCREET, [DISCREET, *map(str, arguments)], environment)
            finally:
                os._exit(127)

    def expect(self, *endings):
        """What was shown up to and with one of these endings, without the terminal's escapes."""
        limit = time.monotonic() + self.patience
        while not any(ESCAPES.sub("", self.seen).endswith(ending) for ending in endings):
            if not self.more(limit - time.monotonic()):
                raise AssertionError(f"waited for {endings}, and saw {self.seen!r}")
        seen, self.seen = ESCAPES.sub("", self.seen), ""
        return seen

    def more(self, seconds):
        if not select.select([self.screen], [], [], max(seconds, 0))[0]:
            return False
        try:
            piece = os.read(self.screen, 65536)
        except OSError:  # Linux's end of a pseudo-terminal
            return False
        self.seen += piece.decode(errors="replace")
        return bool(piece)

    def type(self, text):
        os.write(self.screen, text.encode())

    def say(self, text, *endings):
        self.type(text)
        return self.expect(*(endings or [FRESH]))

    def ended(self):
        """The exit code, once the command is gone."""
        limit = time.monotonic() + self.patience
        while time.monotonic() < limit:
            self.more(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = None
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it did not end; seen {self.seen!r}")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.screen)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Prompt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        self.policy = fixture.write(self.place / "data")
        self.history = self.place / "state" / "discreet" / "history"
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state"), "HOME": str(self.place), "TERM": "xterm", "LC_ALL": "C"}
        self.environment.pop("DISCREET_HISTORY", None)

    def start(self, *options, **environment):
        terminal = Terminal("sql", "--policy", self.policy, *options, environment={**self.environment, **environment})
        self.addCleanup(terminal.close)
        self.greeting = terminal.expect(FRESH)
        return terminal

    def test_statements_take_lines_and_end_in_a_semicolon(self):
        terminal = self.start("--epsilon", "1000")
        terminal.say("SELECT COUNT(*)\n", MORE)
        answer = terminal.say("FROM people; -- all of them\n")
        self.assertRegex(answer, r"\n *220\n")
        self.assertRegex(answer, r"spent: ε 1000, .* left: ε 999000, .* receipt [0-9a-f]+-\d+\n")
        # a semicolon in a text, a name or a comment ends nothing
        terminal.say("SELECT COUNT(*) AS \"a;\" FROM people\n", MORE)
        terminal.say("WHERE sex <> ';' /* ; */ -- ;\n", MORE)
        self.assertRegex(terminal.say(";\n"), r"\n *220\n")
        # two on one line are two
        both = terminal.say("SELECT COUNT(*) FROM people; SELECT COUNT(*) FROM drugs;\n")
        self.assertRegex(both, r"(?s) 220\n.*\n.* 4 *\npublic tables only")
        # nothing is nothing
        for nothing in ["\n", ";\n", "  ;;\n", "-- a thought\n"]:
            self.assertNotIn("error", terminal.say(nothing))
        terminal.type(".quit\n")
        self.assertEqual(0, terminal.ended())

    def test_epsilon_is_asked_for_and_set(self):
        terminal = self.start()
        self.assertIn("not set", self.greeting)
        self.assertIn("write .epsilon 0.5, or SELECT WITH", terminal.say("SELECT COUNT(*) FROM people;\n"))
        self.assertIn("epsilon = 500\n", terminal.say(".epsilon 500\n"))
        terminal.say(".delta 0\n")
        self.assertIn("write .delta 0.009", terminal.say("SELECT city, COUNT(*) FROM visits GROUP BY city;\n"))
        wrong = terminal.say(".epsilon lots\n")
        self.assertIn(".epsilon: found 'lots'", wrong)
        self.assertNotIn("--epsilon", wrong)
        self.assertIn("epsilon = 500\n", terminal.say(".epsilon\n"))  # a wrong one changes nothing
        self.assertIn("this answer: ε 500,", terminal.say("SELECT COUNT(*) FROM people;\n"))
        self.assertIn("epsilon = not set\n", terminal.say(".epsilon -\n"))
        self.assertIn("no epsilon is given", terminal.say("SELECT COUNT(*) FROM people;\n"))
        self.assertIn("did you mean '.epsilon'", terminal.say(".epsilo 3\n"))
        self.assertIn(".epsilon: found -3", terminal.say(".epsilon -3\n").replace("'", ""))

    def test_help_and_names(self):
        terminal = self.start()
        self.assertIn(".columns TABLE", terminal.say(".help\n"))
        tables = terminal.say(".tables\n")
        for line in [r"drugs +public", r"people +patient \(patient_id\)", r"refills +patient by way of prescriptions"]:
            self.assertRegex(tables, line)
        columns = terminal.say(".columns visits\n")
        for line in [r"ward +text +one of A, B, C, D\n", r"day +date +2020-01-01 to 2026-12-31\n", r"debt +double +-50 to 50\n"]:
            self.assertRegex(columns, line)
        self.assertNotIn("name ", terminal.say(".columns people\n"))  # hidden
        self.assertIn("did you mean 'visits'", terminal.say(".columns visit\n"))

    def test_what_users_of_duckdb_type(self):
        terminal = self.start("--epsilon", "1000")
        tables, columns, help_text = terminal.say(".tables\n"), terminal.say(".columns visits\n"), terminal.say(".help\n")

        def body(said):  # without the line that was typed
            return said.split("\n", 1)[1]
        for typed in ["SHOW TABLES;\n", "show tables\n", "Show  Tables ;\n", "DESCRIBE;\n"]:
            self.assertEqual(body(tables), body(terminal.say(typed)), typed)
        for typed in ["DESCRIBE visits;\n", "describe VISITS\n", 'desc "visits";\n', "SHOW visits;\n"]:
            self.assertEqual(body(columns), body(terminal.say(typed)), typed)
        self.assertIn("did you mean 'visits'", terminal.say("DESCRIBE visit;\n"))
        for typed in ["help\n", "HELP;\n"]:
            self.assertEqual(body(help_text), body(terminal.say(typed)), typed)
        terminal.say("EXPLAIN SELECT COUNT(*)\n", MORE)
        self.assertIn("It costs ε = 1000", terminal.say("FROM people;\n"))
        self.assertIn("It costs ε = 1000", terminal.say(".explain SELECT COUNT(*) FROM people\n"))
        self.assertIn("patient_id", terminal.say("EXPLAIN SELECT patient_id FROM people;\n"))  # refused as it would be
        # a statement behind one that failed is not run
        self.assertNotIn("220", terminal.say("DESCRIBE nowhere; SELECT COUNT(*) FROM people;\n"))
        self.assertIn("1000000 of 1000000", terminal.say(".budget\n"))  # none of it spends
        for leaving in ["quit\n", "EXIT;\n", ".exit\n", "quit ;\n"]:
            terminal = self.start()
            terminal.type(leaving)
            self.assertEqual(0, terminal.ended(), leaving)

    def test_the_balance_is_shown(self):
        terminal = self.start("--epsilon", "1000", "--as", "ana")
        self.assertIn("left: ε 1000000, δ 0.9 of ε 1000000, δ 0.9\n", self.greeting)
        subprocess.run([DISCREET, "budget", "grant", "ana", "--policy", self.policy, "--epsilon", "5000", "--delta", "0"], env=self.environment, check=True, capture_output=True)
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM people;\n"), r"left: ε 999000, δ 0\.9   left for ana: ε 4000, δ 0   receipt")
        self.assertIn("format = csv\n", terminal.say(".format csv\n"))
        said = terminal.say("SELECT COUNT(*) AS n FROM people;\n")
        self.assertRegex(said, r"\nn\b.*\n220\b")
        self.assertIn("left: ε 998000, δ 0.9 of ε 1000000, δ 0.9   left for ana: ε 3000, δ 0\n", said)
        self.assertRegex(terminal.say(".budget\n"), r"fixture \(data set\).*998000 of 1000000(?s:.*)Left for ana: ε 3000")

    def test_settings(self):
        terminal = self.start("--epsilon", "1000")
        self.assertIn("nothing was spent", terminal.say(".profile SELECT COUNT(*) FROM people\n"))  # one row a patient is promised
        for typed, said in [(".format\n", "format = table"), (".format xml\n", ".format: found 'xml'"), (".format parquet\n", ".format parquet needs a file"), (".format markdown\n", "format = markdown"),
                            (".format -\n", "format = table"), (".plot\n", "plot = not set"), (".plot x.png\n", "write .plot x.svg"), (".plot /nowhere/x.svg\n", "can't be written"), (".plot\n", "plot = not set"),
                            (f".plot {self.place}/x.svg\n", "x.svg\n"), (".reuse maybe\n", ".reuse: found 'maybe'; accepted is on or off"), (".reuse\n", "reuse = off"), (".reuse on\n", "reuse = on")]:
            self.assertIn(said, terminal.say(typed), typed)
        refused = terminal.say("SELECT COUNT(*) FROM people;\n")
        self.assertIn(".reuse: no answer to this question is recorded; asking it would cost ε 1000, δ 0", refused)
        self.assertIn("write .or-ask on", refused)
        terminal.say(".or-ask on\n")
        self.assertFalse((self.place / "x.svg").exists())
        self.assertIn("spent: ε 1000,", terminal.say("SELECT COUNT(*) FROM people;\n"))
        self.assertIn("<svg", (self.place / "x.svg").read_text())
        self.assertIn("spent: ε 1000,", terminal.say("SELECT COUNT(*) FROM people;\n"))  # given again
        terminal.say(".reuse off\n")
        self.assertIn("spent: ε 2000,", terminal.say("SELECT COUNT(*) FROM people;\n"))

    def test_the_caret_stands_under_the_place(self):
        terminal = self.start("--epsilon", "1")
        terminal.say("SELECT COUNT(*),\n", MORE)
        lines = terminal.say("  'é日',  patient_id FROM people;\n").splitlines()
        text, caret = lines[-3], lines[-2]
        self.assertEqual("^" * len("patient_id"), caret.strip())
        # 日 takes two columns
        self.assertEqual(text.index("patient_id") + 1, caret.index("^"))

    def test_ctrl_c_gives_up_the_line_only(self):
        terminal = self.start("--epsilon", "1000")
        terminal.say("SELECT wrong,\n", MORE)
        terminal.say("and more\x03", "^C\n" + FRESH)
        terminal.say("\x03", "^C\n" + FRESH)
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM people;\n"), r"\n *220\n")
        terminal.type("\x04")
        self.assertEqual(0, terminal.ended())

    def test_ctrl_c_stops_the_query_only(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:  # one patient's visits, joined with themselves
            for i in range(200_000):
                rows.write(f"{i},5,A,c,1,1,2020-01-01,,true,1,1\n")
        terminal = self.start("--epsilon", "1000")
        ledger = self.place / "data"
        before = {path.name: path.stat().st_mtime_ns for path in ledger.iterdir()}
        terminal.type("SELECT COUNT(*) FROM visits AS a JOIN visits AS b ON a.patient_id = b.patient_id;\n")
        limit = time.monotonic() + 15
        while {path.name: path.stat().st_mtime_ns for path in ledger.iterdir()} == before:  # until it is reserved
            self.assertLess(time.monotonic(), limit)
            terminal.more(0.02)
        time.sleep(0.2)
        self.assertIn("interrupted; what was reserved for this query stays spent\n", terminal.say("\x03"))
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM people;\n"), r"\n *220\n(.*\n)*.*spent: ε 2000,")

    def test_history_outlives_the_session(self):
        terminal = self.start("--epsilon", "1000")
        terminal.say("SELECT COUNT(*)\n", MORE)
        terminal.say("FROM people;\n")
        terminal.say("SELECT 'ä\\n' FROM nowhere; -- why\n")
        terminal.type("\x04")
        self.assertEqual(0, terminal.ended())
        self.assertEqual(0o600, stat.S_IMODE(self.history.stat().st_mode))
        self.assertEqual("SELECT COUNT(*) FROM people;\nSELECT 'ä\\\\n' FROM nowhere;\n", self.history.read_text())
        terminal = self.start("--epsilon", "1000")
        self.assertRegex(terminal.say("\x1b[A\x1b[A\n"), r"\n *220\n")
        os.kill(terminal.pid, signal.SIGKILL)  # what was typed is kept all the same
        self.assertEqual(-signal.SIGKILL, terminal.ended())
        self.assertEqual(3, len(self.history.read_text().splitlines()))

    def test_history_elsewhere_or_nowhere(self):
        for chosen in ["", str(self.place / "mine")]:
            terminal = self.start(DISCREET_HISTORY=chosen)
            terminal.say(".tables\n")
            terminal.type(".quit\n")
            self.assertEqual(0, terminal.ended())
            self.assertFalse(self.history.exists())
        self.assertEqual(".tables\n", (self.place / "mine").read_text())
        (self.place / "mine").write_text("".join(f"SELECT {i};\n" for i in range(2500)))
        self.start(DISCREET_HISTORY=chosen).say(".help\n")
        lines = (self.place / "mine").read_text().splitlines()
        self.assertEqual(["SELECT 1500;", "SELECT 2499;", ".help"], [lines[0], lines[-2], lines[-1]])

    def test_tab_completes(self):
        terminal = self.start()
        for typed, whole in [("SEL", "SELECT"), ("sel", "select"), ("peo", "people"), ("visits.pat", "visits.patient_id"), (".eps", ".epsilon"), ("VISITS.nig", "VISITS.nights")]:
            with self.subTest(typed=typed):
                terminal.say(typed + "\t", FRESH + whole, whole)
                terminal.say("\x03")
        terminal.say("SELECT co\t", "count(  cost  \n" + FRESH + "SELECT co")  # two ways to go on
        terminal.say("\x03")
        terminal.say("nam\t\tx", "namx")  # hidden columns aren't offered


if __name__ == "__main__":
    unittest.main()
