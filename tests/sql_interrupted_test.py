#!/usr/bin/env python3
"""discreet sql that is interrupted, ended by others, or out of time."""
import signal
import subprocess
import time
import unittest

from clinic import ClinicCase
from support import DISCREET


class Command(ClinicCase):
    # One patient with many visits, joined with themselves: more work than anyone waits for.
    ENDLESS = "SELECT COUNT(*) FROM visits AS a JOIN visits AS b ON a.patient_id = b.patient_id"

    def write_endless(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:
            for i in range(200_000):
                rows.write(f"{i},5,A,c,1,1,2020-01-01,,true,1,1\n")

    def test_ended_by_others_leaves_no_folder(self):
        self.write_endless()
        folder = self.place / "temporary"
        folder.mkdir()
        for number, sent in enumerate([signal.SIGTERM, signal.SIGHUP]):
            asked = subprocess.Popen([DISCREET, "sql", "--policy", str(self.policy), "--epsilon", "7", self.ENDLESS], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env={**self.environment, "TMPDIR": str(folder)})
            while self.spent() == 7 * number:  # until it is reserved
                self.assertIsNone(asked.poll())
                time.sleep(0.05)
            self.assertNotEqual([], list(folder.iterdir()))
            asked.send_signal(sent)
            out, err = asked.communicate(timeout=60)
            self.assertEqual((130, ""), (asked.returncode, out), err)
            self.assertEqual([], list(folder.iterdir()))

    def test_interrupted_stays_spent(self):
        self.write_endless()
        asked = subprocess.Popen([DISCREET, "sql", "--policy", str(self.policy), "--epsilon", "7", self.ENDLESS],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        while self.spent() == 0:  # until it is reserved
            self.assertIsNone(asked.poll())
            time.sleep(0.05)
        asked.send_signal(signal.SIGINT)
        out, err = asked.communicate(timeout=60)
        self.assertEqual((130, ""), (asked.returncode, out), err)
        self.assertEqual("discreet: interrupted; what was reserved for this query stays spent\n", err)
        self.assertEqual(7, self.spent())

    def test_a_time_limit_stays_spent(self):
        self.write_endless()
        for seconds in ["1", "4", "16", "64"]:  # planning counts too, and takes its time on a busy machine
            late = self.run_discreet("sql", "--policy", self.policy, "--epsilon", "7", "--timeout", seconds, self.ENDLESS, code=1)
            if self.spent() > 0:
                break
            self.assertEqual("discreet: the query took longer than allowed; nothing was reserved\n", late.stderr)
        self.assertEqual("discreet: the query took longer than allowed; what was reserved for it stays spent\n", late.stderr)
        self.assertEqual(7, self.spent())
        self.assertIn("\n1 release was reserved and never finished: it counts as spent.\n", self.run_discreet("budget", "show", "--policy", self.policy).stdout)
        for wrong in ["0", "-1", "soon"]:
            self.run_discreet("sql", "--policy", self.policy, "--epsilon", "7", "--timeout", wrong, self.ENDLESS, code=2)
        self.assertEqual(7, self.spent())


if __name__ == "__main__":
    unittest.main()
