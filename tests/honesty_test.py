#!/usr/bin/env python3
"""bench/honesty measures what it says: data, truth, the best fixed bounds and the verdict, each against something calculated another way."""
import collections
import itertools
import math
import pathlib
import random
import statistics
import sys
import tempfile
import unittest

from support import DISCREET, SOURCE

sys.path.insert(0, str(SOURCE / "bench" / "honesty"))
import data  # noqa: E402
import oracle  # noqa: E402
import verdict  # noqa: E402
from ask import Answer, ask, left_out, policy_text  # noqa: E402
from questions import QUESTIONS, Question  # noqa: E402


def laplace(draw, scale):
    return draw.choice([-1, 1]) * draw.expovariate(1 / scale)


class Honesty(unittest.TestCase):
    def test_a_seed_is_its_data(self):
        for name in data.KINDS:
            one = data.make(name, 1, 0.02)
            self.assertEqual(one, data.make(name, 1, 0.02))
            self.assertNotEqual(one.rows, data.make(name, 2, 0.02).rows)
            for column, kind in one.columns.items():  # what is declared holds
                for value in one.rows[column]:
                    self.assertTrue(not kind.range or kind.range[0] <= value <= kind.range[1], (name, column, value))
                    self.assertTrue(not kind.values or value in kind.values, (name, column, value))

    def test_few_many_and_very_uneven_rows_a_unit(self):
        most, middle = {}, {}
        for name in data.KINDS:
            table = data.make(name, 1, 0.2)
            counts = sorted(collections.Counter(table.rows[table.unit]).values())
            most[name], middle[name] = counts[-1], counts[len(counts) // 2]
        self.assertEqual(4, most["visits"])
        self.assertGreater(middle["flights"], 40)
        self.assertGreater(most["ratings"], 50 * middle["ratings"])

    def test_forty_questions(self):
        self.assertEqual(40, len({question.name for question in QUESTIONS}))
        self.assertEqual(40, len(QUESTIONS))
        for wanted in ["count", "sum", "avg", "units"]:
            self.assertTrue(any(question.what == wanted and question.key for question in QUESTIONS), wanted)
        self.assertEqual({True, False}, {question.ranged for question in QUESTIONS})

    def test_the_truth(self):
        rows = {"p": (1, 1, 1, 2, 3), "ward": ("A", "A", "B", "A", "B"), "cost": (1.5, 2.5, 10, 4, 20)}
        table = data.Table("t", "p", {"ward": data.Column("text", values=("A", "B", "C")), "cost": data.Column("double")}, rows)
        self.assertEqual({None: 5}, Question("t", "count").truth(table))
        self.assertEqual({"A": 3, "B": 2, "C": 0}, Question("t", "count", key="ward").truth(table))
        self.assertEqual({"A": 2, "B": 2, "C": 0}, Question("t", "units", key="ward").truth(table))
        self.assertEqual({None: 38}, Question("t", "sum", "cost").truth(table))
        self.assertEqual({None: 34}, Question("t", "sum", "cost", where=("cost", ">=", 4)).truth(table))
        self.assertEqual({"A": 8 / 3, "B": 15}, Question("t", "avg", "cost", key="ward").truth(table))
        self.assertEqual("SELECT ward, AVG(cost) AS a FROM t WHERE cost > 4 GROUP BY ward", Question("t", "avg", "cost", "ward", ("cost", ">", 4)).sql(table))

    def test_expected_errors_are_those_of_draws(self):
        draw = random.Random(1)
        for bias, a, b in itertools.product([0, 0.5, 4], [1], [0.999999999, 0.5, 0.01]):
            one = statistics.fmean(abs(bias + laplace(draw, a)) for _ in range(40_000))
            two = statistics.fmean(abs(bias + laplace(draw, a) + laplace(draw, b)) for _ in range(40_000))
            self.assertAlmostEqual(1, oracle.one_noise(bias, a) / one, delta=0.04)
            self.assertAlmostEqual(1, oracle.two_noises(bias, a, b) / two, delta=0.04)

    def test_what_is_kept_is_what_rows_say(self):
        """The search looks at rows by their unit's size and at sums of sorted values; here one row at a time is."""
        table = data.make("payments", 3, 0.005)
        question = Question("payments", "sum", "amount", "channel")
        rows = question.rows(table)
        per_unit = collections.Counter(unit for unit, _, _ in rows)
        for limit, low, high in [(1, -50, 50), (3, -20.5, 100), (1000, -1e9, 1e9)]:
            wanted = collections.defaultdict(lambda: [0, 0])
            for unit, group, value in rows:
                weight = min(1, limit / per_unit[unit])
                wanted[group][0] += weight
                wanted[group][1] += weight * max(low, min(high, value))
            for group, (count, total) in oracle.Cells(rows).kept([limit], low, high)[limit].items():
                self.assertAlmostEqual(wanted[group][0], count)
                self.assertAlmostEqual(wanted[group][1], total)

    def test_the_best_is_better_than_its_neighbours(self):
        table = data.make("ratings", 1, 0.05)
        question = Question("ratings", "count")
        truth = question.truth(table)
        best = oracle.best_bounds(question, table, truth, [1])[1]
        cells = oracle.Cells(question.rows(table))

        def error(limit):
            return oracle.errors_of(question, cells.kept([limit], 1, 1)[limit][None], truth[None], limit, 1, 1, 1)[0]
        self.assertAlmostEqual(best.error, error(best.rows))
        self.assertGreater(error(1), 2 * best.error)
        self.assertGreater(error(20 * best.rows), 2 * best.error)
        self.assertLess(best.error, 1.05 * min(error(limit) for limit in range(1, cells.sizes[-1] + 1)))

    def test_the_engine_errs_as_expected_with_given_bounds(self):
        """The formulas of the oracle against the command itself: bias, noise and both."""
        runs = 40
        table = data.make("visits", 1, 0.1)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            table.write(place / "visits.csv")
            (place / "policy.toml").write_text(policy_text(table, "visits.csv", True))
            for question, limit, epsilon in [(Question("visits", "count"), 4, 1), (Question("visits", "count"), 3, 0.03),
                                             (Question("visits", "sum", "nights"), 4, 1), (Question("visits", "avg", "nights"), 4, 1)]:
                truth = question.truth(table)[None]
                low, high = table.columns[question.column].range if question.column else (1, 1)
                kept = oracle.Cells(question.rows(table)).kept([limit], low, high)[limit][None]
                expected, _ = oracle.errors_of(question, kept, truth, limit, low, high, epsilon)
                answers = [ask(DISCREET, place / "policy.toml", question.sql(table), epsilon, False, ["--max-groups", "1", "--max-rows", str(limit)]) for _ in range(runs)]
                found = statistics.fmean(abs(answer.values[None] - truth) for answer in answers)
                # an exponential's mean of 40 draws: five standard deviations
                self.assertAlmostEqual(1, found / expected, delta=5 / math.sqrt(runs), msg=question.name)

    def test_the_verdict(self):
        def answer(value, low, high, share=0.0, upper=0.0, seconds=1.0):
            return Answer({None: value}, {None: (low, high)}, share, upper, None, {}, seconds)
        best = oracle.Best(10, 20, 1, 1, 1)

        def case(what, answers, ones=()):
            return verdict.Case(Question("t", what, "x"), 1, {None: 100}, answers, list(ones), best, None, 0.5)
        count = case("count", [answer(80, 70, 90), answer(80, 70, 90, 0.1, 0.2)], [answer(20, 0, 40)])
        self.assertEqual(0.5, count.coverage())  # 90 is too low, 90 / 0.8 is not
        self.assertEqual(0, case("count", [answer(80, 101, 190, 0.1, 0.2)]).coverage())
        self.assertEqual(1, case("count", [answer(80, 70, 90, 1.0, 1.0)]).coverage())
        average = case("avg", [answer(80, 70, 90, 0.1, 0.2), answer(99, 90, 110, 0.04, 0.9)])
        self.assertEqual((0.5, 1), (average.coverage(), average.coverage(verdict.LITTLE)))
        self.assertIsNone(case("avg", [answer(80, 70, 90, 0.1)]).coverage(verdict.LITTLE))
        values = [line.value for line in verdict.lines([count, average])]
        self.assertEqual([1, 0.5, 1, statistics.median([1, 0.525]), statistics.median([2, 1.05]), 20 / 80, 0], values)
        self.assertEqual(["yes", "NO", "yes", "yes", "", "NO", "yes"], [line.cells()[-1] for line in verdict.lines([count, average])])
        # 1.5 seconds of rows where 0.5 would do: two thirds are the first stage's
        slow = case("count", [answer(99, 90, 110, seconds=2.0)], [answer(99, 90, 110, seconds=1.0)])
        self.assertAlmostEqual(2 / 3, verdict.first_stage(slow))
        self.assertEqual("NO", verdict.lines([slow])[-1].cells()[-1])

    def test_what_is_left_out_is_read_wherever_it_is_said(self):
        rows = {"share": 0.1, "upper": 0.2}
        self.assertEqual(rows, left_out({"left_out": {"rows": rows}}, "rows"))
        self.assertEqual(rows, left_out({"plan": {"parts": [{"left_out": {"rows": rows}}]}}, "rows"))
        self.assertEqual({}, left_out({"plan": {"parts": [{"left_out": None}]}}, "rows"))


if __name__ == "__main__":
    unittest.main()
