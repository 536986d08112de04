"""Data sets with few, many and very uneven rows a unit. All are made up: a generator, its parameters and a seed are the data.

   visits = make("visits", seed=1)
   visits.write(folder / "visits.csv")

To try other shapes, change the parameters below or pass a scale (`--scale 0.2`: a fifth of the units).
"""
import csv
import math
import random
from typing import NamedTuple


class Column(NamedTuple):
    type: str  # as policies name types
    range: tuple = None  # what an owner would declare: wide, and not cut to these data
    values: tuple = None  # public values: those of keys


class Table(NamedTuple):
    name: str
    unit: str  # the column that says whose row it is
    columns: dict
    rows: dict  # values by column, the unit's among them

    def write(self, path):
        names = [self.unit, *self.columns]
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(zip(*(self.rows[name] for name in names)))


def chosen(draw, weights):
    """One of the keys of `weights`, as likely as its weight."""
    return draw.choices(list(weights), list(weights.values()))[0]


def poisson(draw, mean):
    """Knuth's way, in steps of at most 30 so that exp(-mean) is no 0."""
    total = 0
    while mean > 0:
        step = min(mean, 30)
        limit, product = math.exp(-step), draw.random()
        while product > limit:
            total += 1
            product *= draw.random()
        mean -= step
    return total


def visits(draw, units):
    """A clinic: 1 to 4 visits a patient."""
    wards = {"A": 0.4, "B": 0.3, "C": 0.2, "D": 0.1}
    for patient in range(units):
        for _ in range(chosen(draw, {1: 0.5, 2: 0.25, 3: 0.15, 4: 0.1})):
            yield patient, chosen(draw, wards), round(min(10_000, draw.lognormvariate(6, 0.8)), 2), poisson(draw, 2.5)


def flights(draw, units):
    """About 70 flights a plane in a year, of one carrier each; a plane flies in most months."""
    carriers = {"UA": 0.3, "B6": 0.2, "EV": 0.2, "DL": 0.12, "AA": 0.1, "MQ": 0.05, "US": 0.02, "HA": 0.01}
    for plane in range(units):
        carrier, typical = chosen(draw, carriers), draw.uniform(200, 2500)
        for _ in range(poisson(draw, draw.gammavariate(2, 34))):
            delay = draw.gauss(-5, 10) + (draw.expovariate(1 / 40) if draw.random() < 0.3 else 0)
            yield plane, draw.randint(1, 12), carrier, round(typical * draw.uniform(0.7, 1.3)), round(max(-60, min(600, delay)))


def ratings(draw, units):
    """Students who rate courses: most a few, some thousands."""
    subjects = {subject: 1 / (place + 1) for place, subject in enumerate(["maths", "physics", "law", "history", "art", "music", "biology", "latin"])}
    for student in range(units):
        count, mood = min(5000, 1 + int(draw.lognormvariate(1.3, 1.5))), draw.gauss(0, 0.5)
        for _ in range(count):
            stars = max(1, min(5, round(draw.gauss(3.7 + mood, 0.9))))
            yield student, chosen(draw, subjects), stars, round(min(1_000, draw.lognormvariate(3, 0.7)), 1)


def results(draw, units):
    """A laboratory: some tens of results a patient, of three tests whose values are on very different scales."""
    tests = {"glucose": (4.6, 0.25), "ferritin": (4.2, 0.9), "troponin": (2.0, 1.3)}
    for patient in range(units):
        for _ in range(5 + poisson(draw, draw.gammavariate(3, 8))):
            test = chosen(draw, {"glucose": 0.6, "ferritin": 0.3, "troponin": 0.1})
            yield patient, test, round(min(5_000, draw.lognormvariate(*tests[test])), 2)


def payments(draw, units):
    """Amounts with a heavy tail (Pareto, 1.7, up to a card's limit), a few of them refunds; few payments of most, dozens of some."""
    channels = {"web": 0.7, "shop": 0.25, "phone": 0.05}
    for customer in range(units):
        count = 1 + int(draw.expovariate(1 / 3))
        for _ in range(count):
            amount = round(min(10_000, 12 * draw.paretovariate(1.7)), 2)
            yield customer, chosen(draw, channels), -min(amount, 2_000) if draw.random() < 0.02 else amount


# name: the generator, how many units, the unit's column, the others
KINDS = {
    "visits": (visits, 20_000, "patient", {"ward": Column("text", values=("A", "B", "C", "D")), "cost": Column("double", range=(0, 10_000)), "nights": Column("integer", range=(0, 60))}),
    "flights": (flights, 5_000, "plane", {"month": Column("integer", values=tuple(range(1, 13))), "carrier": Column("text", values=("UA", "B6", "EV", "DL", "AA", "MQ", "US", "HA")),
                                          "distance": Column("double", range=(0, 5_000)), "delay": Column("double", range=(-60, 600))}),
    "ratings": (ratings, 15_000, "student", {"subject": Column("text", values=("maths", "physics", "law", "history", "art", "music", "biology", "latin")),
                                             "stars": Column("integer", range=(1, 5)), "minutes": Column("double", range=(0, 1_000))}),
    "results": (results, 8_000, "patient", {"test": Column("text", values=("glucose", "ferritin", "troponin")), "value": Column("double", range=(0, 5_000))}),
    "payments": (payments, 40_000, "customer", {"channel": Column("text", values=("web", "shop", "phone")), "amount": Column("double", range=(-2_000, 10_000))}),
}


def make(name, seed, scale=1):
    generator, units, unit, columns = KINDS[name]
    made = zip(*generator(random.Random(f"{name} {seed}"), max(10, round(units * scale))))
    return Table(name, unit, columns, dict(zip([unit, *columns], made)))
