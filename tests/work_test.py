"""The work of a draw must not tell the value: instructions counted by callgrind are equal, to the last one, for different draws."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROBE = pathlib.Path(os.environ["BUILD"]) / "tests" / "work-probe"


def run(sampler, scale, seed):
    """Instructions spent inside the sampler, and what it drew (xor of the values)."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        drawn = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}", str(PROBE), sampler, scale, str(seed)],
            check=True, capture_output=True, text=True).stdout
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M).group(1)), drawn


class Work(unittest.TestCase):
    def check(self, sampler, scale):
        self.assertIsNotNone(shutil.which("valgrind"), "setup/apt.txt installs valgrind")
        first, second = run(sampler, scale, 1), run(sampler, scale, 2)
        self.assertNotEqual(first[1], second[1], "the draws differ")
        self.assertGreater(first[0], 1000)
        self.assertEqual(first[0], second[0], "the work doesn't")

    def test_the_count_would_notice(self):
        self.assertNotEqual(run("leaky", "1", 1)[0], run("leaky", "1", 2)[0])

    def test_the_count_would_notice_coins_that_stop_early(self):
        self.assertNotEqual(run("hasty-coins", "1", 1)[0], run("hasty-coins", "1", 2)[0])


for SAMPLER, SCALE in [("laplace", "1"), ("laplace", "1e6"), ("rounded-laplace", "65537/3"), ("geometric", "1000"),
                       ("gaussian", "3"), ("gaussian", "20"), ("gaussian", "1000"), ("discrete-gaussian", "1e6"), ("coins", "1"),
                       # clients of the local model, whose values differ as well
                       ("flat", "2"), ("symmetric-unary", "4"), ("optimised-unary", "4"), ("hadamard", "2"), ("subset", "2"), ("local-hashing", "2")]:
    NAME = re.sub(r"\W", "_", f"test_{SAMPLER}_at_{SCALE}")
    setattr(Work, NAME, lambda self, sampler=SAMPLER, scale=SCALE: self.check(sampler, scale))

if __name__ == "__main__":
    unittest.main()
