#!/usr/bin/env python3
"""discreet sql on a PostgreSQL server that is lost, silent, slow, full or killed: one thing is said, and what was reserved stays spent."""
import os
import pathlib
import signal
import subprocess
import threading
import unittest

from postgres_case import PostgresCase, Proxy, QUERY, Server, VISITS
from prompt_test import FRESH, WHY_NOT, Terminal
from support import DISCREET


class Faults(PostgresCase):
    def test_a_lost_server_says_one_thing_and_what_was_reserved_stays_spent(self):
        server = Server()
        server.run(VISITS)
        self.write(server.address)
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        server.run("ALTER TABLE visits RENAME TO visit")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=2, words="tables.visits: 'public.visits' is not in the server's database (did you mean 'visit'?)")
        server.run("DROP TABLE visit")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=2, words="is not in the server's database (one of wards)")
        self.write(server.address, source="elsewhere.visits")
        self.fails("policy", "check", self.policy, code=2, words="'elsewhere.visits' is not in the server's database (there is no schema 'elsewhere': one of public)")
        self.write(server.address)
        server.stop()
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words=":5432 can't be reached, or doesn't let us in")
        self.assertNotIn(server.address, told)
        self.assertEqual(self.spent(), 1)

    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_the_prompt_lives_on_when_the_server_is_lost_and_back(self):
        server = Server()
        server.run(VISITS)
        self.write(server.address)
        terminal = Terminal("sql", "--policy", self.policy, "--epsilon", "1000", environment=self.at_prompt(), patience=60)
        self.addCleanup(terminal.close)
        terminal.expect(FRESH)
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM visits;\n"), r"\n *4000")
        # its connection is cut: the next query opens another
        server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'discreet'")
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM visits;\n"), r"\n *4000")
        # the table is gone: a new question can't be planned, and costs nothing
        server.run("ALTER TABLE visits RENAME TO away")
        self.assertIn("can't run this question", terminal.say("SELECT COUNT(*) FROM visits WHERE cost < 50;\n"))
        # one that could be tells nothing, and is paid for
        told = terminal.say("SELECT COUNT(*) FROM visits;\n")
        self.assertIn("the query could not be run; what was reserved for it stays spent", told)
        self.assertNotIn("visits\" does not exist", told)
        server.run("ALTER TABLE away RENAME TO visits")
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM visits WHERE cost >= 0;\n"), r"\n *4000")
        server.stop()
        told = terminal.say("SELECT COUNT(*) FROM visits;\n")
        self.assertIn(":5432 can't be reached, or doesn't let us in; what was reserved for the query stays spent", told)
        self.assertIn("spent", terminal.say(".budget\n"))
        self.assertEqual(self.spent(), 5000)

    def test_a_timeout_is_said_and_paid_for(self):
        self.through(QUERY)
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--timeout", "2", "SELECT COUNT(*) FROM visits", code=1, words="took longer than allowed; what was reserved for it stays spent")
        self.assertNotIn("statement", told)
        self.write(self.server.address)
        self.assertEqual(self.spent(), 1)

    def test_a_network_that_goes_silent_ends_with_the_time_that_is_allowed(self):
        for silent_from in (QUERY, b"SELECT 1 FROM"):
            with self.subTest(silent_from=silent_from):
                proxy = self.through(silent_from)
                self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--timeout", "2", "SELECT COUNT(*) FROM visits", code=1, words="took longer than allowed")
                self.assertTrue(proxy.silent)

    # connecting, looking at tables, planning, asking the server who it is
    BEFORE = (b"", b"pg_attribute", b"EXPLAIN", b"pg_control_system")

    def test_a_server_that_is_silent_before_a_query_is_waited_for_as_long_as_is_allowed(self):
        for silent_from in self.BEFORE:
            with self.subTest(silent_from=silent_from):
                proxy = self.through(silent_from)
                self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--timeout", "2", "SELECT COUNT(*) FROM visits", code=1, words=" took longer than allowed; nothing was reserved")
                self.assertTrue(proxy.silent)
        self.write(self.server.address)
        self.assertEqual(self.spent(), 0)

    def test_ctrl_c_is_heard_though_the_network_is_silent(self):
        for silent_from in (QUERY, *self.BEFORE):
            with self.subTest(silent_from=silent_from):
                told = self.interrupted(self.through(silent_from))
                self.assertIn("stays spent" if silent_from == QUERY else "interrupted; nothing was reserved", told)

    def interrupted(self, proxy):
        """What is said to Ctrl-C, once the network is silent."""
        process = subprocess.Popen([DISCREET, "sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while not proxy.silent and process.poll() is None:
            threading.Event().wait(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, told)
        return told

    def test_a_connection_that_does_not_come_holds_nobody_up(self):
        # one that looks at the tables, one of the helper's that asks, one that asks the server who it is; the next would share the work
        proxy = self.through(served=3)
        self.write(proxy.address + "?connect_timeout=0")
        self.assertAlmostEqual(self.ask("SELECT COUNT(*) FROM visits")["rows"][0][0], 4000, delta=1)
        self.assertTrue(proxy.seen.is_set())

    def test_a_connection_that_does_not_see_the_same_moment_takes_no_share(self):
        proxy = self.through(instead=(b"SNAPSHOT '0", b"SNAPSHOT 'F"))
        self.assertAlmostEqual(self.ask("SELECT COUNT(*) FROM visits")["rows"][0][0], 4000, delta=1)
        self.assertTrue(proxy.seen.is_set())

    def lost_meanwhile(self, server, meanwhile):
        """A query is lost on its way: one fixed sentence, what was reserved stays spent, and the prompt lives on. The prompt."""
        proxy = Proxy(server, meanwhile=meanwhile)
        self.addCleanup(proxy.close)
        self.write(proxy.address)
        terminal = Terminal("sql", "--policy", self.policy, "--epsilon", "1000", environment=self.at_prompt(), patience=60)
        self.addCleanup(terminal.close)
        terminal.expect(FRESH)
        told = terminal.say("SELECT COUNT(*) FROM visits;\n")
        self.assertIsNone(proxy.meanwhile)
        self.assertIn("the query could not be run; what was reserved for it stays spent", told)
        self.assertNotIn("closed", told)
        self.assertIn("spent", terminal.say(".budget\n"))
        self.assertEqual(self.spent(), 1000)
        return terminal

    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_a_connection_that_is_dropped_meanwhile(self):
        terminal = self.lost_meanwhile(self.server, lambda: None)
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM visits;\n"), r"\n *4000")

    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_a_server_that_is_killed_meanwhile(self):
        server = Server()
        self.addCleanup(server.stop)
        server.run(VISITS)
        process = int((pathlib.Path(server.address.split("host=")[1]) / "data" / "postmaster.pid").read_text().split()[0])
        terminal = self.lost_meanwhile(server, lambda: os.kill(process, signal.SIGKILL))
        self.assertIn("can't be reached, or doesn't let us in", terminal.say("SELECT COUNT(*) FROM visits;\n"))

    def test_a_full_disk_says_one_thing_and_is_paid_for(self):
        self.server.run("""CREATE ROLE small LOGIN; ALTER ROLE small SET temp_file_limit = '64kB';
CREATE TABLE large AS SELECT i AS patient, repeat('x', 50) || i AS ward, i::float8 AS cost FROM generate_series(1, 300000) i; GRANT SELECT ON large TO small""")
        self.write(self.server.address.replace("discreet@", "small@"), source="large")
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--delta", "1e-6", "SELECT ward, COUNT(*) FROM visits GROUP BY ward", code=1, words="the query could not be run; what was reserved for it stays spent")
        self.assertNotIn("temp", told)
        self.assertEqual(self.spent(), 1)


if __name__ == "__main__":
    unittest.main()
