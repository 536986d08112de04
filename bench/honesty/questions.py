"""The forty questions, as data: their SQL is printed from it, and their truth is calculated from it, apart from the engine."""
import math
import operator
from typing import NamedTuple

OPERATORS = {"<": operator.lt, ">": operator.gt, ">=": operator.ge, "=": operator.eq}


class Question(NamedTuple):
    table: str
    what: str  # count, sum, avg or units (COUNT(DISTINCT unit))
    column: str = None
    key: str = None
    where: tuple = None  # column, operator, constant
    ranged: bool = True  # whether the policy declares the column's range

    @property
    def name(self):
        parts = [self.table, self.what, self.column, self.where and "".join(map(str, self.where)), self.key and f"by {self.key}",
                 self.column and not self.ranged and "no range"]
        return " ".join(part for part in parts if part)

    def sql(self, table):
        aggregate = {"count": "COUNT(*)", "units": f"COUNT(DISTINCT {table.unit})"}.get(self.what, f"{self.what.upper()}({self.column})")
        text = f"SELECT {self.key + ', ' if self.key else ''}{aggregate} AS a FROM {self.table}"
        if self.where:
            text += " WHERE {} {} {}".format(*self.where)
        return text + (f" GROUP BY {self.key}" if self.key else "")

    def rows(self, table):
        """(unit, group, value) of the rows that are asked about; to count units, one of each unit and group."""
        groups = table.rows[self.key] if self.key else [None] * len(table.rows[table.unit])
        values = table.rows[self.column] if self.column else [1] * len(groups)
        keep = [True] * len(groups)
        if self.where:
            column, op, constant = self.where
            keep = [OPERATORS[op](x, constant) for x in table.rows[column]]
        out = [row for row, kept in zip(zip(table.rows[table.unit], groups, values), keep) if kept]
        return sorted(set(out), key=str) if self.what == "units" else out

    def groups(self, table):
        return list(table.columns[self.key].values) if self.key else [None]

    def truth(self, table):
        """The exact answer by group."""
        of = {group: [] for group in self.groups(table)}
        for _, group, value in self.rows(table):
            of[group].append(value)
        if self.what == "avg":
            return {group: math.fsum(values) / len(values) for group, values in of.items() if values}
        return {group: math.fsum(values) for group, values in of.items()}


QUESTIONS = [
    Question("visits", "count"),
    Question("visits", "count", where=("nights", ">=", 4)),
    Question("visits", "count", key="ward"),
    Question("visits", "sum", "cost"),
    Question("visits", "sum", "cost", ranged=False),
    Question("visits", "avg", "cost", key="ward"),
    Question("visits", "avg", "nights", ranged=False),
    Question("visits", "units", key="ward"),
    Question("flights", "count"),
    Question("flights", "count", where=("delay", ">", 30)),
    Question("flights", "count", key="month"),
    Question("flights", "count", key="carrier"),
    Question("flights", "sum", "distance"),
    Question("flights", "sum", "distance", key="carrier", ranged=False),
    Question("flights", "avg", "delay", key="month"),
    Question("flights", "avg", "distance", ranged=False),
    Question("flights", "units", key="month"),
    Question("ratings", "count"),
    Question("ratings", "count", key="subject"),
    Question("ratings", "count", where=("stars", ">=", 5), key="subject"),
    Question("ratings", "sum", "minutes"),
    Question("ratings", "sum", "minutes", ranged=False),
    Question("ratings", "avg", "stars"),
    Question("ratings", "avg", "stars", key="subject"),
    Question("ratings", "avg", "minutes", ranged=False),
    Question("ratings", "units"),
    Question("results", "count", key="test"),
    Question("results", "count", where=("value", ">", 200)),
    Question("results", "sum", "value"),
    Question("results", "sum", "value", key="test", ranged=False),
    Question("results", "avg", "value", key="test"),
    Question("results", "avg", "value", key="test", ranged=False),
    Question("results", "units", key="test"),
    Question("payments", "count"),
    Question("payments", "count", where=("amount", "<", 0)),
    Question("payments", "sum", "amount"),
    Question("payments", "sum", "amount", ranged=False),
    Question("payments", "sum", "amount", key="channel", ranged=False),
    Question("payments", "avg", "amount"),
    Question("payments", "avg", "amount", ranged=False),
]
