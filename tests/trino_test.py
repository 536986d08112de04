#!/usr/bin/env python3
"""discreet sql on a Trino of the test's own: as a user asks it, and what happens when a worker or the coordinator is lost. Skipped, with
the reason, where `make trino` has fetched nothing or there is no Java."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import unittest
import urllib.parse
import urllib.request

from prompt_test import FRESH, WHY_NOT, Terminal
from support import DISCREET, SOURCE, PrivateServer, ServerCase, answer, discreet, slow

FETCHED = subprocess.run([SOURCE / "setup" / "trino" / "run", "--check"], capture_output=True, text=True)
MISSING = "" if FETCHED.returncode == 0 else FETCHED.stderr.strip()


class Server(PrivateServer):
    """A Trino."""

    def __init__(self, *options):
        super().__init__("trino", *options)
        self.shown = json.loads(self.said or "{}")
        self.url = self.shown["url"]

    def run(self, sql):
        """The rows of a statement."""
        request = urllib.request.Request(self.url + "/v1/statement", data=sql.encode(), headers={"X-Trino-User": "test"})
        rows = []
        while True:
            with urllib.request.urlopen(request, timeout=120) as answered:
                page = json.load(answered)
            if "error" in page:
                raise AssertionError(page["error"]["message"])
            rows += page.get("data", [])
            if "nextUri" not in page:
                return rows
            request = urllib.request.Request(page["nextUri"])

    def active(self):
        """How many workers the coordinator believes to be there; None where the question itself was lost with one."""
        try:
            return self.run("SELECT count(*) FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator")[0][0]
        except AssertionError:
            return None

    def closed(self):
        """Waits until nobody listens at its address any more."""
        place = urllib.parse.urlsplit(self.url)
        while True:
            try:
                socket.create_connection((place.hostname, place.port), timeout=10).close()
            except ConnectionRefusedError:
                return
            except OSError:
                pass

    def states(self):
        """Of all queries that discreet has asked: state by id."""
        return dict(self.run("SELECT query_id, state FROM system.runtime.queries WHERE source = 'discreet' AND query LIKE 'WITH%'"))


VISITS = """CREATE TABLE memory.default.visits AS SELECT n % 400 AS patient, 'ward ' || CAST(n * 7 % 5 AS VARCHAR) AS ward,
CAST(n * 13 % 1000 AS DOUBLE) / 10 AS cost, date_add('day', n % 400, DATE '2020-01-01') AS day, ARRAY[n] AS list FROM UNNEST(sequence(1, 4000)) AS t(n)"""
WARDS = "CREATE TABLE memory.default.wards AS SELECT 'ward ' || CAST(n AS VARCHAR) AS ward, n / 2 AS floor FROM UNNEST(sequence(0, 4)) AS t(n)"
# What takes minutes, and no memory: each patient's rows with each other, seven times, and none of them stays.
LONG = ("SELECT COUNT(*) FROM visits a " + " ".join(f"JOIN visits {name} ON a.patient = {name}.patient" for name in "bcdefg") +
        " WHERE a.cost + b.cost + c.cost + d.cost + e.cost + f.cost + g.cost > 1e9")


class TrinoCase(ServerCase):
    together = True  # one server for all: it takes half a minute to start

    def write(self, head, more="", source="visits"):
        self.write_policy(f'engine = "trino"\ncatalog = "memory"\n{head}', source, more)


@unittest.skipIf(MISSING, MISSING)
class OnTrino(TrinoCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.run(VISITS)
        cls.server.run(WARDS)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.write(f'url = "{self.server.url}"\nuser = "ana"')

    def test_an_answer_is_what_the_server_says(self):
        got = self.ask("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward ORDER BY ward", epsilon="900000")
        rows = self.server.run("SELECT ward, count(*), sum(cost) FROM memory.default.visits GROUP BY ward ORDER BY ward")
        self.check_rows(got, rows)

    def test_every_aggregate_is_answered(self):
        self.check_aggregates()

    def test_bounds_that_nobody_declares_are_measured_there(self):
        self.check_measured_bounds()

    def test_public_tables_are_joined(self):
        self.write(f'url = "{self.server.url}"\nuser = "ana"', more='[tables.wards]\nsource = "DEFAULT.Wards"\npublic = true\n')
        got = self.ask("SELECT floor, COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward GROUP BY floor ORDER BY floor")
        self.assertEqual([row[0] for row in got["rows"]], [0, 1, 2])
        self.assertEqual(len(answer("sql", "--policy", self.policy, "SELECT ward, floor FROM wards ORDER BY ward LIMIT 3 OFFSET 1", env=self.environment)["rows"]), 3)

    def test_what_the_dialect_cannot_say_is_refused_and_costs_nothing(self):
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits WHERE reverse(ward) = 'x'", code=3, words="the function reverse can't be asked of the engine trino")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(list) FROM visits", code=3, words="of type array(bigint), which is not read")
        # What its planner takes for ever for, and what it plans and no worker can compile.
        deep = "ROUND(" * 40 + "cost" + ", 1)" * 40
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", f"SELECT SUM({deep}, contribution_bounds_per_row => (0, 9)) FROM visits", code=3, words="calculations that are nested so deep")
        many = " ".join(f"WHEN cost > {i}.5 AND ward <> 'q{i}' THEN {i}" for i in range(400))
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", f"SELECT SUM(CASE {many} ELSE 0 END, contribution_bounds_per_row => (0, 9)) FROM visits", code=3, words="the engine trino can't run this question (")
        self.assertEqual(self.spent(), 0)
        # Half as many are tried first, on nothing, and then answered.
        many = " ".join(f"WHEN cost > {i}.5 AND ward <> 'q{i}' THEN {i}" for i in reversed(range(150)))
        rows = self.ask(f"SELECT SUM(CASE {many} ELSE 0 END, contribution_bounds_per_row => (0, 9)) FROM visits", epsilon="900000")["rows"]
        truth = self.server.run("SELECT sum(least(ceil(cost - 0.5) - 1, 9)) FROM memory.default.visits WHERE cost > 0.5")
        self.assertAlmostEqual(float(rows[0][0]), float(truth[0][0]), delta=0.5)

    def test_persons_are_not_told_apart_by_numbers_with_a_point(self):
        self.server.run("CREATE TABLE IF NOT EXISTS memory.default.measured AS SELECT CAST(patient AS DOUBLE) AS patient, cost FROM memory.default.visits")
        self.write(f'url = "{self.server.url}"\nuser = "ana"', source="measured")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=3, words="tables.visits.key: 'patient' says whose a row is: a number with a point as text can't be asked of the engine trino")
        self.policy.write_text(self.policy.read_text() + 'columns.patient = { type = "integer" }\n')
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")

    def test_tables_that_are_not_there_are_named(self):
        self.write(f'url = "{self.server.url}"\nuser = "ana"', source="no_visits")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=2, words="'memory.default.no_visits' is not there")
        self.server.run("CREATE OR REPLACE VIEW memory.default.seen AS SELECT * FROM memory.default.visits WHERE 1 / cost > 0")
        self.write(f'url = "{self.server.url}"\nuser = "ana"', source="seen")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words="is a view")

    def test_a_timeout_is_said_and_paid_for_and_ends_the_query_there(self):
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--timeout", "10", LONG, code=1, words="took longer than allowed; what was reserved for it stays spent")
        self.assertNotIn("query_max", told)
        self.assertEqual(self.spent(), 1)
        self.assertNotIn("RUNNING", self.server.states().values())

    def test_ctrl_c_ends_the_query_there(self):
        before = set(self.server.states())
        process = subprocess.Popen([DISCREET, "sql", "--policy", self.policy, "--epsilon", "1", LONG], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while "RUNNING" not in [state for one, state in self.server.states().items() if one not in before]:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, told)
        self.assertIn("stays spent", told)
        self.assertNotIn("RUNNING", self.server.states().values())

    def test_it_listens_to_this_machine_alone(self):
        # Linux's list of sockets: its own ends are in the second column, 0A is one that listens
        inodes = set()
        for process in (self.server.shown["coordinator"], *self.server.shown["workers"]):
            for file in pathlib.Path(f"/proc/{process}/fd").iterdir():
                try:
                    inodes.add(os.readlink(file))
                except OSError:
                    pass
        lines = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path("/proc/net", name).read_text().splitlines()[1:]]
        ends = {line[1].split(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in inodes}
        self.assertTrue(ends)
        self.assertLessEqual(ends, {"0100007F", "0000000000000000FFFF00000100007F"})

    def test_policies_are_checked(self):
        done = discreet("policy", "check", self.policy, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.policy.write_text(self.policy.read_text().replace('engine = "trino"', 'engine = "trion"'))
        self.fails("policy", "check", self.policy, code=2, words="unknown engine 'trion'")

    def test_what_does_not_fit_the_tables_is_refused_with_its_place(self):
        text = self.policy.read_text()
        self.policy.write_text(text + 'columns.ward = { type = "date" }\n')
        self.fails("policy", "check", self.policy, code=2, words="tables.visits.columns.ward.type: the source holds a text, which the engine trino can't read as a date")
        self.policy.write_text(text.replace('source = "visits"', 'source = "vsits"'))
        self.fails("policy", "check", self.policy, code=2, words="tables.visits: 'memory.default.vsits' is not there, or not for this user (did you mean 'visits'?)")
        self.policy.write_text(text.replace('source = "visits"', 'source = "defualt.visits"'))
        self.fails("policy", "check", self.policy, code=2, words="tables.visits: 'memory.defualt.visits' is not there, or not for this user (there is no schema 'defualt': did you mean 'default'?)")


@slow
@unittest.skipIf(MISSING, MISSING)
class Small(TrinoCase):
    """A server that gives a query less memory than all persons' rows need."""

    def test_what_is_too_much_at_once_is_asked_in_shares(self):
        server = Server("--query-memory", "24")
        self.addCleanup(server.stop)
        self.write(f'url = "{server.url}"\nuser = "ana"', source="sf1.orders")
        self.policy.write_text(self.policy.read_text().replace('catalog = "memory"', 'catalog = "tpch"').replace('"patient"', '"custkey"')
                               .replace("columns.cost = { range = [0, 100] }", "columns.totalprice = { range = [0, 1000000] }").replace("max_rows_per_group = 20", "max_rows_per_group = 100"))
        # Nothing is cut: what comes is the truth, and a little noise.
        rows = self.ask("SELECT orderpriority, COUNT(*) AS n, SUM(totalprice) AS total FROM visits GROUP BY orderpriority ORDER BY orderpriority")["rows"]
        self.assertGreater(len(server.states()), 2)
        for mine, theirs in zip(rows, server.run("SELECT orderpriority, count(*), sum(totalprice) FROM tpch.sf1.orders GROUP BY orderpriority ORDER BY orderpriority"), strict=True):
            self.assertEqual(mine[0], theirs[0])
            self.assertAlmostEqual(mine[1], theirs[1], delta=10)
            self.assertAlmostEqual(mine[2] / theirs[2], 1, delta=1e-4)


@slow
@unittest.skipIf(MISSING, MISSING)
class Faults(TrinoCase):
    """A server of its own that is broken on purpose."""

    def test_a_lost_worker_and_then_a_lost_coordinator_say_one_thing(self):
        server = Server()
        self.addCleanup(server.stop)
        server.run(VISITS)
        self.write(f'url = "{server.url}"\nuser = "ana"')
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        fixed = "the query could not be run; what was reserved for it stays spent"
        # The memory of a lost worker had some of the rows: no query of the table can be right any more.
        os.kill(server.shown["workers"][0], signal.SIGKILL)
        # Until the coordinator has noticed, what is asked about the catalogue may fail too, before anything is reserved.
        while server.active() != 1:
            pass
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words=fixed)
        self.assertEqual(self.spent(), 2)
        os.kill(server.shown["coordinator"], signal.SIGKILL)
        server.closed()
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words="can't be reached")
        self.assertEqual(self.spent(), 2)  # nothing was reserved: the server is looked for before
        self.assertNotIn("Exception", told)

    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_what_is_lost_while_a_query_runs_says_one_thing_and_the_prompt_lives_on(self):
        server = Server()
        self.addCleanup(server.stop)
        server.run(VISITS)
        self.write(f'url = "{server.url}"\nuser = "ana"')
        terminal = Terminal("sql", "--policy", self.policy, "--epsilon", "1000", environment=self.at_prompt(), patience=120)
        self.addCleanup(terminal.close)
        terminal.expect(FRESH)
        fixed = "the query could not be run; what was reserved for it stays spent"
        self.assertRegex(terminal.say("SELECT COUNT(*) FROM visits;\n"), r"\n *4000")
        # the table is gone: a question that was planned before tells nothing, and is paid for
        server.run("ALTER TABLE memory.default.visits RENAME TO memory.default.away")
        told = terminal.say("SELECT COUNT(*) FROM visits;\n")
        self.assertIn(fixed, told)
        self.assertNotIn("does not exist", told)
        server.run("ALTER TABLE memory.default.away RENAME TO memory.default.visits")
        self.assertEqual(self.spent(), 2000)
        for lost in (server.shown["workers"][0], server.shown["coordinator"]):
            if lost == server.shown["coordinator"]:
                # the lost worker's rows are lost with it
                server.run("DROP TABLE memory.default.visits")
                server.run(VISITS)
            before = set(server.states())

            def kill(lost=lost, before=before):
                while "RUNNING" not in [state for one, state in server.states().items() if one not in before]:
                    pass
                os.kill(lost, signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            told = terminal.say(LONG + ";\n")
            killer.join()
            self.assertIn(fixed, told)
            self.assertNotIn("Exception", told)
            self.assertIn("spent", terminal.say(".budget\n"))
        self.assertEqual(self.spent(), 4000)
        server.closed()
        self.assertIn("can't be reached", terminal.say("SELECT COUNT(*) FROM visits;\n"))

    def test_a_server_that_has_no_room_says_one_thing_and_is_paid_for(self):
        # Trino spills to a disk, or refuses, where a query wants more than it may have
        server = Server("--workers", "1", "--query-memory", "1")
        self.addCleanup(server.stop)
        self.write(f'url = "{server.url}"\nuser = "ana"', source="sf1.orders")
        self.policy.write_text(self.policy.read_text().replace('catalog = "memory"', 'catalog = "tpch"').replace('"patient"\nmax', '"custkey"\nmax').replace("columns.cost = { range = [0, 100] }\n", ""))
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--delta", "1e-6", "SELECT orderdate, COUNT(*) FROM visits GROUP BY orderdate", code=1, words="the query could not be run; what was reserved for it stays spent")
        self.assertNotIn("memory", told)
        self.assertEqual(self.spent(), 1)


@slow
@unittest.skipIf(MISSING, MISSING)
class Secured(TrinoCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--workers", "1", "--secure")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def asked(self, head):
        shown = self.server.shown
        self.write(f'url = "{shown["https"]}"\nuser = "ana"\n{head}')
        self.policy.write_text(self.policy.read_text().replace('catalog = "memory"', 'catalog = "tpch"').replace('source = "visits"', 'source = "tiny.orders"')
                               .replace('"patient"\nmax', '"custkey"\nmax').replace("columns.cost = { range = [0, 100] }\n", "")
                               .replace("max_rows_per_group = 20", "max_rows_per_group = 100"))  # nobody has more orders: all are counted
        return discreet("sql", "--policy", self.policy, "--epsilon", "100000", "SELECT COUNT(*) FROM visits", env=self.environment)

    def test_a_password_a_token_and_wrong_ones(self):
        shown = self.server.shown
        certificate = f'certificate = "{shown["certificate"]}"\n'
        self.environment["RIGHT"], self.environment["WRONG"] = shown["password"], "hunter2"
        made = subprocess.run(["python3", "-c", f"""
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader('private_trino', {str(SOURCE / 'tests' / 'private-trino')!r})
module = importlib.util.module_from_spec(importlib.util.spec_from_loader('private_trino', loader))
loader.exec_module(module)
print(module.token({shown['secret']!r}, 'ana'))"""], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        (self.folder / "token").write_text(made.stdout)
        for secret in 'password = "env:RIGHT"', 'token = "file:token"':
            done = self.asked(certificate + secret)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("15000", done.stdout.replace(" ", "").replace(",", ""))
        for secret in 'password = "env:WRONG"', 'token = "env:WRONG"', "":
            done = self.asked(certificate + secret)
            self.assertEqual(done.returncode, 1)
            self.assertIn("doesn't let this user in", done.stderr)
            self.assertNotIn("hunter2", done.stderr)
        done = self.asked('password = "env:RIGHT"')
        self.assertEqual(done.returncode, 1)
        self.assertIn("has a certificate that no trusted authority", done.stderr)


if __name__ == "__main__":
    unittest.main()
