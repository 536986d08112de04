#!/usr/bin/env python3
"""discreet sql on a PostgreSQL server of the test's own, as a user asks it: answers, policies, addresses, shards."""
import pathlib
import unittest

from postgres_case import PostgresCase, Server, VISITS
from support import ServerCase, answer, discreet


class OnAServer(PostgresCase):
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
        # PostgreSQL has room for 1664 columns; a variance takes several
        sums = ", ".join(f"VAR_SAMP(cost * {i})" for i in range(1, 501))
        self.fails("sql", "--policy", self.policy, "--epsilon", "1", f"SELECT {sums} FROM visits", code=3, words="unfolds to more than the engine can plan")
        self.assertEqual(self.spent(), 0)

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

    def test_what_is_accepted_instead_of_odd_columns_is_said_once(self):
        self.server.run("CREATE TABLE shapes AS SELECT patient, cost, point(1, 2) AS here, box(point(1, 2), point(3, 4)) AS around FROM visits")
        self.write(self.server.address, source="shapes")
        said = discreet("policy", "check", self.policy, env=self.environment).stdout
        self.assertEqual(said.count("can't be asked about: it is of type"), 2, said)
        self.assertEqual(said.count("(accepted are boolean"), 1, said)

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
