#!/usr/bin/env python3
"""discreet sql over odd files: rows that are broken, too many, or written in one of many ways."""
import json
import unittest

from clinic import ClinicCase


class Command(ClinicCase):
    def test_a_query_never_fails_because_of_rows(self):
        """Fifty files of arbitrary bytes: every one is answered."""
        import random
        draw = random.Random(11)
        pieces = [b'"', b",", b"\n", b"\r\n", b"\r", b"a", b"1", b"\xff", b"\xc3\x28", b"\x00", b'""', b" ", b"\\", b"#", b"\xe2\x82", b"Z" * 300, b"1e999", b"inf", b"-", b"2020-01-01"]
        policy = self.write_policy("""
[policy]
name = "bytes"
unit = "row"
budget = { epsilon = 1000000, delta = 0.5 }
[tables.t]
source = "bytes.csv"
key = "a"
columns.b = { range = [0, 10] }
columns.c = { type = "date" }
max_groups = 5
""")
        for _ in range(25):
            body = b"".join(draw.choice(pieces) for _ in range(draw.randrange(300)))
            (self.place / "data" / "bytes.csv").write_bytes(b"a,b,c\n1,2,3\n" + body + b"\n7,8,9\n")
            self.run_discreet("sql", "--policy", policy, "--epsilon", "1", "--delta", "1e-3", "--json",
                              "SELECT year(c), COUNT(*), SUM(b), AVG(b), MEDIAN(b), COUNT(DISTINCT c), SUM(LEAST(GREATEST(b / (b - 2), 0), 1)) FROM t WHERE ln(b) > -5 OR b IS NULL OR sqrt(b) < 3 GROUP BY 1")

    def test_one_row_is_one_row(self):
        """A field of 1.9 MB that looks like 50,000 people's rows, right behind the first eight megabytes and before them."""
        forged = "\n".join(f"{i},c,000000000000000000000000" for i in range(9_000_000, 9_050_000))
        others = [f"{i},ward,remark\n" for i in range(600_000)]
        policy = self.write_policy('[policy]\nname = "w"\nunit = "u"\nbudget = { epsilon = 1000000 }\n[tables.t]\nsource = "wide.csv"\nkey = "u"\ncolumns.u = { type = "integer" }\n')
        for before in [300_000, 390_000, 440_000]:
            with open(self.place / "data" / "wide.csv", "w", newline="") as f:
                f.write("u,k,x\n" + "".join(others[:before]) + f'5000000,"{forged}",1\n' + "".join(others[before:]))
            answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(DISTINCT u), COUNT(*) FROM t").stdout)
            self.assertEqual([[600_001, 600_001]], answer["rows"])

    JSON_POLICY = """
[policy]
name = "json"
unit = "person"
budget = { epsilon = 1000000 }
[tables.t]
source = "SOURCE"
key = "who"
columns.x = { type = "integer", range = [0, 10] }
max_rows_per_group = 2
"""

    def test_json_arrays_and_lines(self):
        """The form of a .json file is its first character's, unless the policy says it; no row has a say in it."""
        folder = self.place / "data"
        rows = [{"who": f"w{i}", "x": i % 4, "more": {"a": [i]}} for i in range(100)]
        lines = "\n".join(map(json.dumps, rows)) + "\n"
        array = json.dumps(rows)
        for name, text in [("lines.json", lines), ("array.json", array), ("indented.json", "\ufeff\n " + json.dumps(rows, indent=2)), ("array.jsonl", array),
                           ("lines.jsonl", "[1, 2]\n" + lines), ("odd.json", "[1, 2]\n" + lines), ("part-1.json", json.dumps(rows[:40])), ("part-2.json", json.dumps(rows[40:])),
                           ("empty.json", ""), ("none.json", "[]"), ("cut.json", array[:-1] + ', {"who": "w7", "x"'), ("broken.json", "[{broken}, " + array[1:])]:
            (folder / name).write_text(text)
        for source, key, count in [("lines.json", "", 100), ("array.json", "", 100), ("indented.json", "", 100), ("lines.jsonl", "", 100), ("part-*.json", "", 100),
                                   ("array.json", "array", 100), ("array.jsonl", "array", 100), ("lines.json", "lines", 100), ("odd.json", "lines", 100),
                                   ("array.jsonl", "", 0), ("array.json", "lines", 0), ("empty.json", "", 0), ("none.json", "", 0), ("empty.json", "array", 0),
                                   ("cut.json", "", 100), ("broken.json", "", 100)]:
            with self.subTest(source=source, key=key):
                policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", source).replace("key =", f'format = "{key}"\nkey =' if key else "key ="))
                answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(*), SUM(x) FROM t").stdout)
                self.assertEqual([[count, 1.5 * count]], answer["rows"])
        for key, source, message in [("arry", "array.json", "did you mean 'array'?"), ("newline_delimited", "array.json", "unknown format"), ("array", "people.csv", "only JSON files have one")]:
            policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", source).replace("key =", f'format = "{key}"\nkey ='))
            self.assertIn(message, self.run_discreet("policy", "check", policy, code=2).stderr)
        # Each line stands alone, and none is too long.
        for number, line in enumerate(["[", "[[[[", '[{"who":"w5000"},', '{"who":"w5000",', '{"who":"w5000","more":[', '{"who":"' + "x" * 140_000_000 + '"}']):
            (folder / "alone.jsonl").write_text(line + "\n" + lines + line)
            policy = self.write_policy(self.JSON_POLICY.replace("SOURCE", "alone.jsonl"))
            answer = json.loads(self.run_discreet("sql", "--policy", policy, "--epsilon", "10000", "--json", "SELECT COUNT(*), SUM(x) FROM t").stdout)
            self.assertEqual([[100, 150]], answer["rows"], number)
        self.run_discreet("policy", "init", folder / "array.json", "--key", "who", "-o", folder / "first.toml")
        self.assertEqual(0, self.run_discreet("policy", "check", folder / "first.toml").returncode)

    def test_a_file_that_is_broken_says_nothing_of_itself(self):
        secret = "TheSecretName"
        (self.place / "data" / "broken.parquet").write_bytes(b"PAR1" + secret.encode() * 100 + b"PAR1")
        policy = self.write_policy('[policy]\nname = "b"\nunit = "u"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "broken.parquet"\nkey = "a"\n')
        self.assertNotIn(secret, self.run_discreet("sql", "--policy", policy, "--epsilon", "1", "SELECT COUNT(*) FROM t", code=1).stderr)

    def test_little_memory_means_passes_not_failure(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:
            for i in range(400_000):
                rows.write(f"{i},{1000 + i},A,c{i % 50},1,1,2020-01-01,,true,1,1\n")
        query = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
        self.assertEqual(json.loads(self.sql(query, "--json").stdout)["rows"], json.loads(self.sql(query, "--json", "--memory", "128").stdout)["rows"])


if __name__ == "__main__":
    unittest.main()
