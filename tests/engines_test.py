#!/usr/bin/env python3
"""discreet sql on a PostgreSQL server of the test's own: as a user asks it, and what happens when the server is lost."""
import os
import pathlib
import signal
import socket
import subprocess
import threading
import unittest

from prompt_test import FRESH, WHY_NOT, Terminal
from support import DISCREET, PrivateServer, ServerCase, answer, discreet


class Server(PrivateServer):
    """A PostgreSQL."""

    def __init__(self):
        super().__init__("postgres")
        self.address = self.said

    def run(self, sql, address=None):
        return subprocess.run(["psql", address or self.address, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, capture_output=True, text=True).stdout.strip()


QUERY = b"\0WITH rows"  # as libpq sends one; what is planned before begins with EXPLAIN


class Proxy:
    """A network between us and a server: it keeps what we say, and swallows every answer once we have said `silent_from`. `meanwhile` is
    done, once, as soon as a query is on its way, which then reaches nobody; its connection ends. Of all connections the first `served` are
    answered. A text of `instead` reaches the server as the other. With these two, queries are held up until it has come to that: `seen`."""

    def __init__(self, server, silent_from=None, meanwhile=None, served=None, instead=None):
        self.socket = server.address.split("host=")[1] + "/.s.PGSQL.5432"
        self.silent_from, self.silent, self.said = silent_from, False, b""
        self.meanwhile = meanwhile
        self.served, self.instead, self.seen = served, instead, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"postgresql://discreet@127.0.0.1:{self.listener.getsockname()[1]}/postgres"
        self.open = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            self.open += [client, server]
            if self.silent:
                continue
            if self.served == 0:
                self.seen.set()
                continue
            if self.served is not None:
                self.served -= 1
            try:
                server.connect(self.socket)
            except OSError:  # the server is gone
                client.close()
                continue
            threading.Thread(target=self.pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()

    def pump(self, source, target, ours):
        try:
            while data := source.recv(65536):
                if ours:
                    self.said += data
                    if self.meanwhile and QUERY in self.said:
                        meanwhile, self.meanwhile = self.meanwhile, None
                        meanwhile()
                        for one in (source, target):
                            one.shutdown(socket.SHUT_RDWR)
                        return
                    if self.instead and self.instead[0] in data:
                        data = data.replace(*self.instead)
                        self.seen.set()
                    if (self.instead or self.served is not None) and QUERY in data:
                        self.seen.wait(60)
                    self.silent = self.silent or (self.silent_from is not None and self.silent_from in self.said)
                elif self.silent:
                    continue
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        for one in self.open:
            one.close()


VISITS = """CREATE TABLE visits(patient bigint, ward text, cost float8, day date);
INSERT INTO visits SELECT i % 400, 'ward ' || (i * 7 % 5), (i * 13 % 1000)::float8 / 10, DATE '2020-01-01' + i % 400 FROM generate_series(1, 4000) i;
CREATE TABLE wards(ward text, floor bigint); INSERT INTO wards SELECT 'ward ' || i, i / 2 FROM generate_series(0, 4) i"""


class OnAServer(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.run(VISITS)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.write(self.server.address)

    def write(self, dsn, source="visits", more=""):
        return self.write_policy(f'engine = "postgres"\ndsn = "{dsn}"', source, more)

    def test_an_answer_is_what_the_server_says(self):
        got = self.ask("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward ORDER BY ward", epsilon="900000")
        rows = [line.split("|") for line in self.server.run("SELECT ward, count(*), sum(cost) FROM visits GROUP BY ward ORDER BY ward COLLATE \"C\"").splitlines()]
        self.check_rows(got, rows)

    def test_every_aggregate_is_answered(self):
        self.check_aggregates()

    def test_bounds_that_nobody_declares_are_measured_there(self):
        self.check_measured_bounds()

    def test_public_tables_are_joined(self):
        self.write(self.server.address, more='[tables.wards]\nsource = "public.wards"\npublic = true\n')
        got = self.ask("SELECT floor, COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward GROUP BY floor ORDER BY floor")
        self.assertEqual([row[0] for row in got["rows"]], [0, 1, 2])
        self.assertEqual(len(answer("sql", "--policy", self.policy, "SELECT ward, floor FROM wards ORDER BY ward", env=self.environment)["rows"]), 5)

    def test_what_the_dialect_cannot_say_is_refused_and_costs_nothing(self):
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits WHERE reverse(ward) = 'x'", code=3, words="the function reverse can't be asked of the engine postgres")
        self.assertEqual(self.spent(), 0)

    def test_what_the_server_cannot_plan_is_refused_and_costs_nothing(self):
        # PostgreSQL has room for 1664 columns
        sums = ", ".join(f"SUM(cost * {i})" for i in range(1, 851))
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", f"SELECT {sums} FROM visits", code=3, words="the engine postgres can't run this question")
        self.assertEqual(self.spent(), 0)

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
        self.fails("policy", "check", self.policy, code=2, words="'elsewhere.visits' is not in the server's database (accepted is TABLE or SCHEMA.TABLE")
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

    def through(self, silent_from=None, **options):
        proxy = Proxy(self.server, silent_from, **options)
        self.addCleanup(proxy.close)
        self.write(proxy.address)
        return proxy

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
                self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--timeout", "2", "SELECT COUNT(*) FROM visits", code=1, words="the server took longer than allowed; nothing was reserved")
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
        # one that looks at the tables and asks, one that asks the server who it is; the next would share the work
        proxy = self.through(served=2)
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

    def test_every_transaction_makes_its_own_settings(self):
        # behind a pooler the next transaction is on another backend
        proxy = self.through()
        self.ask("SELECT COUNT(*) FROM visits")
        self.assertGreater(proxy.said.count(b"BEGIN"), 1)
        self.assertEqual(proxy.said.count(b"BEGIN"), proxy.said.count(b"; SET LOCAL search_path = pg_catalog; SET LOCAL standard_conforming_strings = on; "))
        self.assertNotRegex(proxy.said, rb"SET (?!LOCAL |TRANSACTION SNAPSHOT )")

    def test_an_address_elsewhere_says_how_it_is_protected(self):
        self.write("postgresql://discreet@db.example/postgres")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=2, words="sslmode=verify-full")

    def test_addresses_come_from_the_environment_or_a_file(self):
        self.write("env:CLINIC_DSN")
        self.environment["CLINIC_DSN"] = self.server.address
        self.ask("SELECT COUNT(*) FROM visits")
        (self.folder / "clinic.dsn").write_text(self.server.address + "\n")
        self.write("file:clinic.dsn")
        self.ask("SELECT COUNT(*) FROM visits")
        del self.environment["CLINIC_DSN"]
        self.write("env:CLINIC_DSN")
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=2, words="the environment has no CLINIC_DSN")

    def test_a_wrong_password_is_not_told_from_a_wrong_place(self):
        self.write("postgresql://somebody@/postgres?host=/nowhere-at-all")
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words="policy.dsn: the server /nowhere-at-all:5432 can't be reached, or doesn't let us in (")
        self.assertNotIn("somebody", told)
        self.server.run("CREATE ROLE nobody_yet NOLOGIN")
        self.write(self.server.address.replace("discreet@", "nobody_yet@"))
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words=":5432 can't be reached, or doesn't let us in")
        self.server.run("CREATE ROLE locked LOGIN PASSWORD 'sesame'; GRANT SELECT ON visits TO locked")
        rules = pathlib.Path(self.server.address.split("host=")[1]) / "data" / "pg_hba.conf"
        rules.write_text("local all locked scram-sha-256\n" + rules.read_text())
        self.server.run("SELECT pg_reload_conf()")
        self.write(self.server.address.replace("discreet@", "locked@"))
        self.environment["PGPASSWORD"] = "hunter2"
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words=":5432 can't be reached, or doesn't let us in")
        self.assertNotIn("hunter2", told)
        self.environment["PGPASSWORD"] = "sesame"
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")

    def test_one_table_has_one_budget_however_its_address_is_spelt(self):
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        folder = self.server.address.split("host=")[1]
        (self.folder / "services").write_text(f"[clinic]\nhost={folder}\nuser=discreet\ndbname=postgres\n")
        self.environment.update(PGSERVICEFILE=str(self.folder / "services"), CLINIC_DSN=self.server.address.replace("/tmp/", "/tmp/./"))
        for dsn in (self.server.address, self.server.address.replace("/tmp/", "/tmp/./"), "env:CLINIC_DSN", "service=clinic", f"host={folder} user=discreet port=05432 dbname=postgres"):
            for source in ("visits", "public.visits"):
                with self.subTest(dsn=dsn, source=source):
                    # another ledger, as somebody else's policy would have it
                    text = self.write(dsn, source).read_text()
                    other = self.folder / "other.toml"
                    other.write_text(text.replace('name = "clinic"', 'name = "other"\nledger = "other.ledger"'))
                    for command in (("sql", "--epsilon", "1", "SELECT COUNT(*) FROM visits"), ("budget", "show")):
                        self.fails(*command, "--policy", other, code=1, words="this source already has a budget")
                    # the same one goes on
                    self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        self.assertEqual(self.spent(), 11)

    def test_where_the_server_does_not_tell_its_name_the_address_is_it(self):
        server = Server()
        self.addCleanup(server.stop)
        server.run(VISITS + "; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; CREATE ROLE plain LOGIN; GRANT SELECT ON visits TO plain")
        self.write(server.address.replace("discreet@", "plain@"))
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        # told from now on: the ledger is found by the address, and learns the other name
        server.run("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC")
        other = self.folder / "other.toml"
        text = self.policy.read_text().replace('name = "clinic"', 'name = "other"\nledger = "other.ledger"')
        other.write_text(text)
        self.fails("sql", "--policy", other, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words="this source already has a budget")
        self.ask("SELECT COUNT(*) FROM visits", epsilon="1")
        other.write_text(text.replace("host=/tmp/", "host=/tmp/./"))
        self.fails("sql", "--policy", other, "--epsilon", "1", "SELECT COUNT(*) FROM visits", code=1, words="this source already has a budget")
        self.assertEqual(self.spent(), 2)

    def test_policies_are_checked(self):
        done = discreet("policy", "check", self.policy, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("never shown", done.stdout)
        self.assertNotIn(self.server.address, done.stdout)
        self.policy.write_text(self.policy.read_text().replace('engine = "postgres"', 'engine = "postgress"'))
        self.fails("policy", "check", self.policy, code=2, words="unknown engine 'postgress'")

    def test_a_type_that_the_server_cannot_read_is_refused_with_its_place(self):
        text = self.policy.read_text()
        for rule, place in (('{ type = "date" }', ".type"), ('{ type = "timestamp" }', ".type"), ('{ range = ["2024-01-01", "2024-12-31"] }', "")):
            with self.subTest(rule=rule):
                self.policy.write_text(text + f"columns.ward = {rule}\n")
                for command in (("policy", "check", self.policy), ("sql", "--policy", self.policy, "--epsilon", "1", "SELECT COUNT(*) FROM visits")):
                    self.fails(*command, code=2, words=f"tables.visits.columns.ward{place}: the source holds a text, which the engine postgres can't read as a ")
        # numbers are read from texts
        self.policy.write_text(text + 'columns.ward = { type = "integer" }\n')
        self.assertEqual(discreet("policy", "check", self.policy, env=self.environment).returncode, 0)

    def test_values_that_an_enum_cannot_have_are_warned_of(self):
        self.server.run("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE grade AS ENUM ('7', '8'); CREATE TABLE moods AS SELECT patient, 'ok'::mood AS mood, '7'::grade AS grade FROM visits")
        self.write(self.server.address, source="moods")
        text = self.policy.read_text().replace("columns.cost = { range = [0, 100] }\n", "")
        for rule, warned in (('mood = { values = ["sad", "glad"] }', ["columns.mood: no row can have the value 'glad': the source's enum has no such label"]), ('mood = { values = ["sad", "ok"] }', []),
                             ('mood = { type = "integer" }', ["columns.mood: no row can have a value: no label of the source's enum is an integer"]), ('mood = { type = "boolean" }', []), ("grade = { values = [7, 9] }", ["columns.grade: no row can have the value '9'"])):
            with self.subTest(rule=rule):
                self.policy.write_text(text + f"columns.{rule}\n")
                done = discreet("policy", "check", self.policy, env=self.environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("warning: "), len(warned), done.stdout)
                for words in warned:
                    self.assertIn(words, done.stdout)


class Sharded(ServerCase):
    """Partitions on two more servers, through postgres_fdw: their work is done there."""

    @classmethod
    def setUpClass(cls):
        cls.servers = [Server() for _ in range(3)]
        head, shards = cls.servers[0], cls.servers[1:]
        head.run("CREATE EXTENSION postgres_fdw; CREATE TABLE visits(patient bigint, ward text, cost float8) PARTITION BY HASH (patient)")
        for i, shard in enumerate(shards):
            shard.run("CREATE TABLE visits(patient bigint, ward text, cost float8)")
            host = shard.address.split("host=")[1]
            head.run(f"""CREATE SERVER s{i} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{host}', dbname 'postgres');
CREATE USER MAPPING FOR discreet SERVER s{i} OPTIONS (user 'discreet');
CREATE FOREIGN TABLE visits_{i} PARTITION OF visits FOR VALUES WITH (MODULUS 2, REMAINDER {i}) SERVER s{i} OPTIONS (table_name 'visits')""")
        head.run("INSERT INTO visits SELECT i % 400, 'ward ' || (i * 7 % 5), (i * 13 % 1000)::float8 / 10 FROM generate_series(1, 4000) i")

    @classmethod
    def tearDownClass(cls):
        for server in cls.servers:
            server.stop()

    def write(self, limits, source="visits"):
        self.write_policy(f'engine = "postgres"\ndsn = "{self.servers[0].address}"', source)
        self.policy.write_text(self.policy.read_text().replace("max_groups = 5\nmax_rows_per_group = 20", 'foreign = "trusted"\n' + limits))

    def asked_of_shards(self, query):
        """The statements that the shards were sent for it."""
        for shard in self.servers[1:]:
            shard.run("ALTER SYSTEM SET log_statement = 'all'")
            shard.run("SELECT pg_reload_conf()")
        logs = [pathlib.Path(shard.address.split("host=")[1]) / "log" for shard in self.servers[1:]]
        before = [log.stat().st_size for log in logs]
        got = self.ask(query)
        return got, [log.read_text()[size:] for log, size in zip(logs, before)]

    def test_both_shards_answer_and_filter(self):
        self.write("max_groups = 5\nmax_rows_per_group = 20")
        got, logs = self.asked_of_shards("SELECT ward, COUNT(*) FROM visits WHERE cost < 50 GROUP BY ward ORDER BY ward")
        counts = dict(line.split("|") for line in self.servers[0].run("SELECT ward, count(*) FROM visits WHERE cost < 50 GROUP BY ward").splitlines())
        self.assertEqual({row[0]: round(row[1]) for row in got["rows"]}, {ward: int(count) for ward, count in counts.items()})
        for log in logs:
            # The filter is the shard's to apply.
            self.assertRegex(log, r"SELECT .* FROM public\.visits WHERE .*cost < ")

    def test_a_lost_shard_says_one_thing_and_is_paid_for(self):
        head, shard = self.servers[0], Server()
        shard.run("CREATE TABLE more(patient bigint, ward text, cost float8)")
        head.run(f"""CREATE SERVER lost FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{shard.address.split("host=")[1]}', dbname 'postgres');
CREATE USER MAPPING FOR discreet SERVER lost OPTIONS (user 'discreet');
CREATE FOREIGN TABLE more(patient bigint, ward text, cost float8) SERVER lost OPTIONS (table_name 'more')""")
        self.write("max_groups = 5\nmax_rows_per_group = 20", source="more")
        shard.stop()
        told = self.fails("sql", "--policy", self.policy, "--epsilon", "1", "--delta", "1e-3", "SELECT ward, COUNT(*) FROM visits GROUP BY ward", code=1, words="the query could not be run; what was reserved for it stays spent")
        self.assertNotIn("lost", told)
        self.assertEqual(self.spent(), 1)

    def test_sums_of_promised_rows_are_added_up_by_the_shard(self):
        self.write("rows_per_unit = 1", source="visits_0")
        self.servers[1].run("DELETE FROM visits WHERE ctid NOT IN (SELECT min(ctid) FROM visits GROUP BY patient)")
        there = int(self.servers[1].run("SELECT count(*) FROM visits"))
        got, logs = self.asked_of_shards("SELECT COUNT(*) FROM visits")
        self.assertAlmostEqual(got["rows"][0][0], there, delta=1)
        self.assertRegex(logs[0], r"SELECT .*count\(\*\).* FROM public\.visits")
        self.assertNotRegex(logs[1], r"DECLARE|FROM public\.visits")


if __name__ == "__main__":
    unittest.main()
