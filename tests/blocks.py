"""What tests of sample-aggregate share: a file of visits, a program, a question."""
import pathlib
import random
import tempfile
import unittest

from support import answer

SECRET = "patient-4711-has-it"


def quiet(done):
    """What was said on standard error, but for the note of what this system can't keep a program from: it isn't of the data."""
    return "".join(line for line in done.stderr.splitlines(True) if not line.startswith("discreet: note: this system doesn't let"))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        draw = random.Random(1)
        lines = ["id,ward,minutes,note"]
        for unit in range(3000):
            for _ in range(draw.randint(1, 3)):
                lines.append(f'{unit},{draw.choice("AAAABC")},{draw.randint(10, 50)},"{SECRET}, ""quoted"""')
        self.data = self.place / "visits.csv"
        self.data.write_text("\n".join(lines) + "\n")

    def program(self, text, first="#!/usr/bin/env python3"):
        path = self.place / f"program{len(list(self.place.iterdir()))}"
        path.write_text(f"{first}\n{text}\n")
        path.chmod(0o755)
        return path

    # With ε = 8 what all blocks agree on is withheld once in 10^20 times.
    def arguments(self, *more, blocks=40, epsilon=8):
        return ["mechanism", "sample-aggregate", "--data", self.data, "--unit", "id", "--blocks", blocks, "--epsilon", epsilon, *more]

    def mode(self, program, *more, **options):
        return answer(*self.arguments("--program", program, "--delta", "1e-3", "--default", "failed", *more, **options))

    MOST = """
import collections, csv, sys
print(collections.Counter(row["ward"] for row in csv.DictReader(sys.stdin)).most_common(1)[0][0])"""
