#!/usr/bin/env python3
"""What `make demo` shows: it runs through, no number stands without what it left out, and a careless bound is mended."""
import os
import re
import subprocess
import unittest

from support import BUILD, SOURCE

CARDIOLOGY = 14905  # visits, in data that is the same on every run


class Demo(unittest.TestCase):
    together = True

    @classmethod
    def setUpClass(cls):
        cls.done = subprocess.run([SOURCE / "examples" / "demo"], capture_output=True, text=True, timeout=300, env={**os.environ, "BUILD": str(BUILD)})
        # the commands that were run, each with what it printed
        cls.shown = re.split(r"^\$ (?=discreet)", cls.done.stdout, flags=re.M)[1:]

    def test_it_runs_through(self):
        self.assertEqual(0, self.done.returncode, self.done.stderr)
        self.assertIn("And what is not answered", self.done.stdout)

    def test_every_answer_says_what_it_left_out(self):
        answers = [text for text in self.shown if text.startswith("discreet sql") and "this answer: " in text]
        self.assertEqual(5, len(answers))
        for text in answers:
            self.assertRegex(text, r"(?m)^(left out by bounding: about|nothing was left out: )", text)

    def test_a_careless_bound_is_seen_and_mended(self):
        def cardiology(text):
            return int(re.search(r"^cardiology +(\d+) ±", text, re.M).group(1))
        first, careless, mended = (text for text in self.shown if "cardiology  " in text)
        self.assertIn("--max-groups 3 --max-rows 2", careless)
        self.assertLess(cardiology(careless), 0.8 * CARDIOLOGY)
        self.assertGreater(float(re.search(r"about ([\d.]+) % of rows", careless).group(1)), 5)
        self.assertIn("--max-rows-total", mended)
        for text in (first, mended):
            self.assertAlmostEqual(CARDIOLOGY, cardiology(text), delta=0.1 * CARDIOLOGY)
        self.assertIn(f"cardiology has {CARDIOLOGY} visits", self.done.stdout)


if __name__ == "__main__":
    unittest.main()
