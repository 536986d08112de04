"""What tests of `learn sgd` have in common: rows to learn from, the command as it is usual, a policy with a budget."""
import json
import os
import pathlib
import random
import struct
import tempfile
import unittest

from support import discreet


def clinic(path, rows=3000, seed=1, label=True):
    """Rows whose label follows from two of three columns, nearly always."""
    draw = random.Random(seed)
    with open(path, "w") as out:
        out.write("age,dose,ward" + (",ill,cost" if label else "") + "\n")
        for _ in range(rows):
            age, dose, ward = draw.uniform(0, 100), draw.uniform(0, 10), draw.choice("AB")
            ill = int(age / 100 + dose / 10 + draw.gauss(0, 0.05) > 1)
            cost = 10 * age + 50 * dose + draw.gauss(0, 10)
            out.write(f"{age:.3f},{dose:.3f},{ward}" + (f",{ill},{cost:.2f}" if label else "") + "\n")


def pictures(folder, name, rows, seed=1):
    """IDX images of 28 × 28: a bright square in the left or the right half."""
    draw = random.Random(seed)
    labels, pixels = bytearray(), bytearray()
    for _ in range(rows):
        label = draw.randrange(2)
        image = bytearray(draw.randrange(30) for _ in range(784))
        top, left = draw.randrange(4, 16), draw.randrange(1, 5) + 14 * label
        for y in range(8):
            for x in range(8):
                image[(top + y) * 28 + left + x] = 200 + draw.randrange(50)
        labels.append(label)
        pixels += image
    (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, rows, 28, 28) + pixels)
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, rows) + labels)


BOUNDS = ["--bounds", "age=0:100,dose=0:10,ward=A|B", "--classes", "2", "--features", "age,dose,ward"]
SPEND = ["--epsilon", "2", "--delta", "1e-5"]


class LearningCase(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.rows = self.folder / "rows.csv"
        self.model = str(self.folder / "model")
        clinic(self.rows)

    def sgd(self, *more, out=None):
        """The command with these options, which take the place of those that are usual here."""
        usual = ["--train", self.rows, "--label", "ill", *BOUNDS, *SPEND, "--lot", "200", "--batch", "64", "--epochs", "10", "-o", out or self.model]
        pairs = [pair for pair in zip(usual[::2], usual[1::2]) if pair[0] not in more]
        return ["learn", "sgd", *(word for pair in pairs for word in pair), *more]

    def refused(self, done, words, code=2):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = [line for line in done.stderr.splitlines() if line and not line.startswith("  try: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(words, lines[0])

    def clinic_policy(self):
        """Runs `learn sgd` on a table of a policy with ε = 2, and tells what the ledger knows."""
        lines = self.rows.read_text().splitlines()
        twice = [f"{i},{line}" for i, line in enumerate(lines[1:]) for _ in range(1 + i % 2)]
        (self.folder / "visits.csv").write_text("\n".join(["id," + lines[0], *twice]) + "\n")
        self.written = (self.folder / "visits.csv").stat().st_mtime_ns
        policy = self.folder / "clinic.toml"
        policy.write_text("""[policy]
name = "clinic"
unit = "patient"
budget = { epsilon = 2, delta = 1e-4 }
[tables.visits]
source = "visits.csv"
key = "id"
columns.age = { range = [0, 100] }
columns.dose = { range = [0, 10] }
columns.ward = { values = ["A", "B"] }
columns.ill = { type = "integer", values = [0, 1] }
""")
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "HOME": str(self.folder)}

        def arguments(epsilon, *more):
            usual = ["--lot", "200", "--epochs", "10"]
            pairs = [pair for pair in zip(usual[::2], usual[1::2]) if pair[0] not in more]
            return ["learn", "sgd", "--policy", policy, "--train", "visits", "--label", "ill", "--features", "age,dose,ward", "--epsilon", epsilon, "--delta", "1e-5", *(word for pair in pairs for word in pair), *more, "-o", self.model, "--json"]

        def show():
            return json.loads(discreet("budget", "show", "--policy", policy, "--json", env=environment).stdout)
        self.policy, self.environment = policy, environment
        return arguments, show, lambda *words: discreet(*arguments(*words), env=environment)
