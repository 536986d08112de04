"""The best fixed bounds, found by search on the exact data: what an owner who knew everything would declare.

Bounds are T, the rows that count of a unit in all, and [L, U], to which values are clamped. A unit with n rows has each of them kept
with the chance w = min(1, T/n). With all of ε, and nothing spent on finding the bounds, a group's answer is

   count, units   Σ w + Lap(T/ε)
   sum            Σ w·clamp(x) + Lap(T·max(|L|,|U|)/ε)
   avg            c + (Σ w·(clamp(x) − c) + Lap(2·T·(U−L)/2/ε)) / (Σ w + Lap(2·T/ε)),   c = (L+U)/2, clamped to [L, U]

and its expected error follows from the bias β against the truth and the scales of the noise:

   E|β + Lap(a)| = |β| + a·exp(−|β|/a)
   E|β + Lap(a) + Lap(b)| = |β| + (a³·exp(−|β|/a) − b³·exp(−|β|/b)) / (a² − b²)

(for avg a ratio's first order: a = T·(U−L)/(ε·N) and b = 2·T·|m−c|/(ε·N) around the kept mean m; never more than the clamp allows).
The variance of choosing rows is left out, which favours the oracle. The error of a question is the mean over its groups.
Biases may cancel (a clamp below, a clamp above, the choice of rows), and a search with the data in hand finds where they do: for averages
of values with a heavy tail that makes the best up to 8 times better than bounds whose biases all count. Nobody could choose those
without the data.
`simple` is the same with |β| + E|noise| instead: an upper estimate, up to 1.5 times as large.
"""
import bisect
import itertools
import math
from collections import Counter, defaultdict
from typing import NamedTuple

SHARES = [0.3, 0.5, 0.65, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.985, 0.99, 0.993, 0.995, 0.997, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 1]


class Best(NamedTuple):
    error: float
    simple: float
    rows: int  # T
    low: float
    high: float


def one_noise(bias, scale):
    return bias + scale * math.exp(-bias / scale)


def two_noises(bias, a, b):
    if abs(a - b) < 1e-6 * a:
        b = a * (1 - 1e-4)  # the formula's limit
    return bias + (a ** 3 * math.exp(-bias / a) - (b ** 3 * math.exp(-bias / b) if b > 0 else 0)) / (a * a - b * b)


def quantiles(ordered, shares):
    """The smallest values that these shares of the data are at or below, each once."""
    return sorted({ordered[max(0, math.ceil(share * len(ordered)) - 1)] for share in shares})


class Cells:
    """Rows by group and by how many their unit has: all that the answer depends on. `clamped` adds up a cell's values between bounds."""

    def __init__(self, rows):
        per_unit = Counter(unit for unit, _, _ in rows)
        values = defaultdict(list)
        for unit, group, value in rows:
            values[group, per_unit[unit]].append(value)
        self.cells = {}
        for cell, found in values.items():
            found.sort()
            self.cells[cell] = (found, [0, *itertools.accumulate(found)])
        self.sizes = sorted(per_unit.values())
        self.values = sorted(value for _, _, value in rows)

    def clamped(self, low, high):
        for (group, size), (values, sums) in self.cells.items():
            i, j = bisect.bisect_left(values, low), bisect.bisect_right(values, high)
            yield group, size, len(values), i * low + sums[j] - sums[i] + (len(values) - j) * high

    def kept(self, rows, low, high):
        """The expected number and sum of what is kept, by group, for each of `rows` as T."""
        out = {limit: defaultdict(lambda: [0, 0]) for limit in rows}
        for group, size, count, total in self.clamped(low, high):
            for limit in rows:
                weight = limit / size if limit < size else 1
                mine = out[limit][group]
                mine[0] += weight * count
                mine[1] += weight * total
        return out


def candidates(question, cells, declared):
    """Pairs [L, U]. For sums only max(|L|, |U|) costs, so the other side stays open."""
    if question.what in ("count", "units"):
        return [(1, 1)]
    if question.what == "sum":
        return [(-size, size) for size in quantiles(sorted(map(abs, cells.values)), SHARES) if size > 0]
    lows = quantiles(cells.values, [0, 0.0005, 0.002, 0.01, 0.03, 0.1])
    highs = quantiles(cells.values, [0.8, 0.9, 0.95, 0.97, 0.99, 0.995, 0.998, 0.9995, 1])
    pairs = [(low, high) for low in lows for high in highs if low < high]
    return pairs + ([declared] if declared else [])


def best_bounds(question, table, truth, epsilons):
    """The bounds with the smallest expected error, for each ε."""
    rows = question.rows(table)
    cells = Cells(rows)
    column = table.columns.get(question.column)
    limits = quantiles(cells.sizes, SHARES)
    best = {}
    for low, high in candidates(question, cells, column and column.range):
        for limit, kept in cells.kept(limits, low, high).items():
            for epsilon in epsilons:
                errors = [errors_of(question, kept[group], exact, limit, low, high, epsilon) for group, exact in truth.items()]
                found = Best(*(sum(kind) / len(errors) for kind in zip(*errors)), limit, low, high)
                best[epsilon] = min(best.get(epsilon, found), found)
    return best


def errors_of(question, kept, exact, limit, low, high, epsilon):
    """A group's expected error, and its simple estimate."""
    count, total = kept
    if question.what != "avg":
        bias = abs(total - exact)
        scale = limit * max(abs(low), abs(high)) / epsilon
        return one_noise(bias, scale), bias + scale
    if count == 0:
        return high - low, high - low
    mean, centre = total / count, (low + high) / 2
    bias, a, b = abs(mean - exact), limit * (high - low) / (epsilon * count), 2 * limit * abs(mean - centre) / (epsilon * count)
    most = max(high - exact, exact - low, bias)
    return min(most, two_noises(bias, max(a, b), min(a, b))), min(most, bias + (a * a + a * b + b * b) / (a + b))
