"""A client that reports again and again: discreet local perturb … --permanent … --memory FILE."""
import fcntl
import itertools
import math
import signal
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from support import DISCREET

DOMAIN = 16


def strength(epsilon):
    """How likely the flat mechanism keeps what it is given, before it rolls its die."""
    return math.expm1(epsilon) / (math.expm1(epsilon) + DOMAIN)


def tail(statistic, degrees):
    """A bound for P[chi-square >= statistic] (Chernoff)."""
    if statistic <= degrees:
        return 1.0
    ratio = statistic / degrees
    return (ratio * math.exp(1 - ratio)) ** (degrees / 2)


def fits(reports, probabilities):
    counts = Counter(reports)
    expected = [len(reports) * p for p in probabilities]
    statistic = sum((counts[i] - e) ** 2 / e for i, e in enumerate(expected))
    return tail(statistic, len(probabilities) - 1) > 1e-6


class LocalMemory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.memory = self.folder / "client"

    def perturb(self, values, *more, protocol="flat", epsilon="1", permanent="2", memory=True):
        command = [str(DISCREET), "local", "perturb", protocol, "--epsilon", epsilon, "--domain", str(DOMAIN), *more]
        if memory:
            command += ["--permanent", permanent, "--memory", str(self.memory)]
        return subprocess.run(command, input="".join(f"{value}\n" for value in values), text=True,
                              capture_output=True, check=False)

    def reports(self, values, **how):
        done = self.perturb(values, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(line) for line in done.stdout.split()]

    def kept(self):
        """What the file holds: {value: permanent report}."""
        lines = self.memory.read_text().splitlines()[3:-1]
        return {int(line.split()[0]): int(line.split()[1]) for line in lines}

    def test_reports_are_drawn_from_the_one_that_is_kept(self):
        """In several runs, as a client does. A thousand reports from the value itself fit its own
        distribution, and are told apart from these."""
        reports = []
        for _ in range(10):
            reports += self.reports([3] * 200)
        permanent = self.kept()[3]
        keep = strength(1) / strength(2)
        self.assertTrue(fits(reports, [(1 - keep) / DOMAIN + (keep if i == permanent else 0) for i in range(DOMAIN)]))
        anew = self.reports([3] * 2000, memory=False)
        self.assertTrue(fits(anew, [(1 - strength(1)) / DOMAIN + (strength(1) if i == 3 else 0) for i in range(DOMAIN)]))
        self.assertFalse(fits(anew, [(1 - keep) / DOMAIN + (keep if i == permanent else 0) for i in range(DOMAIN)]))

    def test_the_file_is_private_and_only_grows(self):
        self.reports([3, 5, 3])
        self.assertEqual(self.memory.stat().st_mode & 0o777, 0o600)
        before = self.kept()
        self.reports([5, 9])
        after = self.kept()
        self.assertEqual({value: after[value] for value in before}, before)
        self.assertEqual(sorted(after), [3, 5, 9])

    def refused(self, name, *more, **how):
        before = self.memory.read_bytes() if self.memory.exists() else None
        done = self.perturb([3], *more, **how)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn(name, done.stderr)
        self.assertEqual(self.memory.read_bytes() if self.memory.exists() else None, before)

    def test_files_of_others_and_damaged_ones_are_refused(self):
        self.reports([3, 5])
        good = self.memory.read_bytes()
        self.refused("found the memory of", epsilon="0.5")
        self.refused("found the memory of", permanent="3")
        self.refused("found the memory of", protocol="symmetric-unary")
        for damaged in (b"", good[:-1], good[:60], good.replace(b"\n3 ", b"\n4 "), good + b"\n", b"anything"):
            self.memory.write_bytes(damaged)
            self.refused("client")
        self.memory.write_bytes(good)
        self.reports([3])

    def test_what_cannot_be_is_refused(self):
        self.refused("--permanent", permanent="1")
        self.refused("--permanent", permanent="0.5")
        self.refused("--permanent", protocol="subset")
        self.refused("--permanent", "--memory", str(self.memory), memory=False)
        self.refused("--memory", "--permanent", "2", memory=False)
        self.assertFalse(self.memory.exists())

    def test_killed_in_the_middle_what_was_told_is_kept(self):
        """Values change slowly, and there are more reports than a pipe holds: after some lines the process is in
        the middle. Killed there, the file is whole and has every value that was told of."""
        values = self.folder / "values"
        values.write_text("".join(f"{line // 2000}\n" for line in range(600_000)))
        before = {}
        for lines in (1, 50_000, 200_000):
            with values.open("rb") as into:
                process = subprocess.Popen([str(DISCREET), "local", "perturb", "flat", "--epsilon", "1", "--domain", "300",
                                            "--permanent", "2", "--memory", str(self.memory)], stdin=into, stdout=subprocess.PIPE)
                told = sum(1 for _ in itertools.islice(process.stdout, lines))
                process.send_signal(signal.SIGKILL)
                told += process.stdout.read().count(b"\n")
                process.stdout.close()
                process.wait()
            self.assertTrue(lines <= told < 600_000)
            kept = self.kept()
            self.assertLessEqual(set(range((told - 1) // 2000 + 1)), set(kept))
            self.assertEqual({value: kept[value] for value in before}, before)
            before = kept

    def test_two_at_once_are_refused(self):
        self.reports([3])
        with open(f"{self.memory}.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused("in use")
        self.reports([3])


if __name__ == "__main__":
    unittest.main()
