"""The straight way's speed, by what doesn't depend on the machine's mood: instructions a row, counted by callgrind. tests/instructions.txt has
the figures: more than a tenth above one fails. Fewer by a tenth fails too: the better figure is to be written down, with the commit that made
it, so that it stays."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROBE = pathlib.Path(os.environ["BUILD"]) / "tests" / "instructions-probe"
FIGURES = pathlib.Path(os.environ["SOURCE"]) / "tests" / "instructions.txt"
MOST = 1.1


def figures():
    lines = [line.split("#")[0].split() for line in FIGURES.read_text().splitlines()]
    return {line[0]: float(line[1]) for line in lines if line}


def counted(case, folder):
    out = pathlib.Path(folder) / "callgrind.out"
    rows = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}", str(PROBE), case, str(folder)],
                          check=True, capture_output=True, text=True).stdout
    return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1]) / int(rows)


def verdict(found, known):
    """What is wrong with a count, beside the figure that is known; empty: nothing."""
    if found > known * MOST:
        return f"{found:.0f} instructions, {100 * (found / known - 1):.0f} % more than the {known:.0f} of tests/instructions.txt"
    if found * MOST < known:
        return f"{found:.0f} instructions, {100 * (1 - found / known):.0f} % fewer than the {known:.0f} of tests/instructions.txt: write the better figure there"
    return ""


class Instructions(unittest.TestCase):
    def check(self, case):
        self.assertIsNotNone(shutil.which("valgrind"), "setup/apt.txt installs valgrind")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(PROBE), "make", folder], check=True)
            found = counted(case, folder)
        print(f"{case}: {found:.0f}")
        self.assertEqual(verdict(found, figures()[case]), "")

    def test_a_tenth_is_noticed(self):
        self.assertEqual(verdict(1099, 1000), "")
        self.assertIn("11 % more", verdict(1111, 1000))
        self.assertIn("write the better figure", verdict(890, 1000))


for CASE in figures():
    setattr(Instructions, f"test_{CASE}", lambda self, case=CASE: self.check(case))

if __name__ == "__main__":
    unittest.main()
