#!/usr/bin/env python3
"""Short questions that an engine's planner could make endless: they are answered, or refused by their text alone, and soon. The server lives on."""
import unittest

from postgres_case import PostgresCase
from support import discreet


def levels(count, call, calls=1):
    """SELECT f(a) AS a FROM (SELECT f(a) AS a FROM (…"""
    query = "SELECT patient, cost AS a FROM visits"
    for _ in range(count):
        query = f"SELECT patient, {call * calls}a{')' * calls} AS a FROM ({query})"
    return f"SELECT COUNT(*) FROM ({query}) WHERE a > 1"


def exists(count, condition, between=""):
    for _ in range(count):
        condition = f"EXISTS (SELECT 1 FROM (VALUES (1)) v(a) WHERE {between}{condition})"
    return f"SELECT COUNT(*) FROM visits WHERE {condition}"


class Planning(PostgresCase):
    def ends(self, query, *codes):
        spent = self.spent()
        done = discreet("sql", "--policy", self.policy, "--epsilon", "1", "--delta", "1e-6", query, env=self.environment)
        self.assertIn(done.returncode, codes, done.stderr)
        if done.returncode == 3:
            self.assertEqual(self.spent(), spent, "a refusal costs nothing")
        return done

    def test_levels_of_subqueries_do_not_multiply(self):
        for call in ("sqrt(", "ln(", "exp(", "abs("):
            self.ends(levels(16, call), 0)
        self.ends(levels(40, "sqrt("), 0)
        self.ends(levels(40, "1 + ("), 0)

    def test_many_calls_in_many_levels_are_refused_before_the_server_hears_of_them(self):
        for count in (5, 8):
            self.assertIn("one row could take about", self.ends(levels(count, "sqrt(", 120), 3).stderr)
        self.ends(levels(1, "sqrt(", 120), 0)

    def test_lists_of_values(self):
        self.ends("SELECT v.a, COUNT(*) FROM visits JOIN (VALUES " + ", ".join(f"({i})" for i in range(1000)) + ") v(a) ON patient > v.a WHERE v.a > 3 GROUP BY v.a", 0, 3)

    def test_subqueries_in_subqueries(self):
        self.ends(exists(24, "1 = 1"), 0, 3)
        self.ends(exists(24, "v.a = cost"), 0, 3)
        self.ends(exists(24, "1 = 1", "v.a = cost AND "), 0, 3)
        self.ends(exists(100, "1 = 1"), 3)


if __name__ == "__main__":
    unittest.main()
