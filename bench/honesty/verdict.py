"""From the answers to the table: each figure, what it should reach, and whether it does."""
import math
import statistics
from typing import NamedTuple, Optional

from oracle import Best


LITTLE = 0.05  # left out: an average hardly notices


class Case(NamedTuple):
    """A question at an ε: what was answered, what is true, what the best fixed bounds would give."""
    question: object
    epsilon: float
    truth: dict
    answers: list  # with automatic bounds
    ones: list  # with one group and one row a unit
    best: Best
    refused: Optional[str]
    start: Optional[float]  # seconds that a query takes before it reads rows

    def covers(self, answer, group):
        """Whether the interval holds the truth. A count or a sum says besides what share of the rows may be left out."""
        low, high = answer.intervals[group]
        if self.question.what != "avg" and high > 0:
            high = high / (1 - answer.upper) if answer.upper < 1 else math.inf
        return low <= self.truth[group] <= high

    def cells(self, answers):
        return [(answer, group) for answer in answers for group in self.truth]

    def coverage(self, below=math.inf):
        """Of the intervals of answers that leave out a share of the rows below this; None where there are none."""
        found = [self.covers(answer, group) for answer, group in self.cells(self.answers) if answer.share < below]
        return sum(found) / len(found) if found else None

    def error(self, answers):
        """The mean absolute error, over runs and groups."""
        return statistics.fmean(abs(answer.values[group] - self.truth[group]) for answer, group in self.cells(answers)) if answers else None


def ratio(over, under):
    return over / under if over is not None and under else None


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def first_stage(case):
    """What automatic bounds add to a query's time, over all of its time; what it takes before it reads rows is in neither."""
    if not case.answers or not case.ones or case.start is None:
        return None
    given = statistics.median(answer.seconds for answer in case.ones) - case.start
    whole = statistics.median(answer.seconds for answer in case.answers) - case.start
    return (whole - given) / whole if given > 0 and whole > 0 else None


class Line(NamedTuple):
    what: str
    value: Optional[float]
    required: Optional[float]  # None: told, and not required
    at_least: bool
    is_share: bool = False

    def cells(self):
        def shown(number):
            return f"{100 * number:.1f} %" if self.is_share else f"{number:.3g}×"
        if self.value is None:
            return self.what, "not measured", "", ""
        if self.required is None:
            return self.what, shown(self.value), "", ""
        reached = self.value >= self.required if self.at_least else self.value <= self.required
        return self.what, shown(self.value), ("≥ " if self.at_least else "≤ ") + shown(self.required), "yes" if reached else "NO"


def lines(cases):
    """Each question at each ε weighs the same."""
    averages = [case for case in cases if case.question.what == "avg"]
    others = [case for case in cases if case.question.what != "avg"]
    return [
        Line("questions answered", mean(not case.refused for case in cases), 1, True, True),
        Line("counts and sums: intervals (upper end over what is surely kept) that hold the truth", mean(case.coverage() for case in others), 0.92, True, True),
        Line("averages, less than 5 % left out: intervals that hold the truth", mean(case.coverage(LITTLE) for case in averages), 0.90, True, True),
        Line("error / total error (left out plus noise) of the best fixed bounds, median",
             median(ratio(case.error(case.answers), case.best.simple) for case in cases), 1.5, False),
        Line("error / least error that any fixed bounds could have on these very data, biases that cancel included, median",
             median(ratio(case.error(case.answers), case.best.error) for case in cases), None, False),
        Line("error / error with one group and one row a unit, median", median(ratio(case.error(case.answers), case.error(case.ones)) for case in cases), 0.1, False),
        Line("processor time of the first stage / of the whole query, without what it takes to start, median", median(first_stage(case) for case in cases), 0.5, False),
    ]


def markdown(found):
    table = [("honesty, no bounds declared", "reached", "required", ""), ("---", "---", "---", "---"), *(line.cells() for line in found)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table)


def details(case):
    """A line of the CSV file: weak questions are found by sorting it."""
    error, answers = case.error(case.answers), case.answers
    return {
        "question": case.question.name, "epsilon": case.epsilon, "runs": len(answers), "refused": case.refused or "",
        "coverage": case.coverage(), "coverage_little_left_out": case.coverage(LITTLE),
        "error": error, "relative_error": ratio(error, mean(abs(exact) for exact in case.truth.values())),
        "best_error": case.best.error, "over_best": ratio(error, case.best.error),
        "simple_best_error": case.best.simple, "over_simple_best": ratio(error, case.best.simple),
        "best_rows": case.best.rows, "best_low": case.best.low, "best_high": case.best.high,
        "ones_error": case.error(case.ones), "over_ones": ratio(error, case.error(case.ones)),
        "left_out_share": mean(answer.share for answer in answers), "left_out_upper": mean(answer.upper for answer in answers),
        "clamped_share": mean(answer.clamped for answer in answers),
        "bias": mean(answer.values[group] - case.truth[group] for answer, group in case.cells(answers)),
        "seconds": median(answer.seconds for answer in answers), "ones_seconds": median(answer.seconds for answer in case.ones), "start_seconds": case.start,
        "bounds": answers[len(answers) // 2].bounds if answers else "",
    }
