#!/usr/bin/env python3
"""Questions run in a helper process: whatever happens to it looks like every other failure, and everything ends. The helper is a child of
the command, so that a test can end, stop or replace it as a crash, a hang or a broken one would."""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from clinic import ClinicCase
from support import BUILD, DISCREET

SPENT = ("discreet: the query could not be run; what was reserved for it stays spent (nothing more is said, since it could tell about the data; "
         "the owner can run discreet policy check)\n")
LATE = "discreet: the query took longer than allowed; what was reserved for it stays spent\n"
STOPPED = "discreet: interrupted; what was reserved for this query stays spent\n"
ENDS = 30  # seconds: "within a second" on a machine that does nothing else; a hang is a hang on any


def helpers_of(process):
    """The helpers that a process has started, by their number."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split() if entry.name.isdigit() else []
            if fields and int(fields[1]) == process and fields[0] != "Z" and (entry / "comm").read_text().startswith("discreet-helper"):
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Case(ClinicCase):
    # One patient with many visits, joined with themselves: more work than anyone waits for.
    ENDLESS = "SELECT COUNT(*) FROM visits AS a JOIN visits AS b ON a.patient_id = b.patient_id"

    def setUp(self):
        super().setUp()
        self.temporary = self.place / "temporary"
        self.temporary.mkdir()
        self.environment["TMPDIR"] = str(self.temporary)

    def write_endless(self):
        with open(self.place / "data" / "visits.csv", "a") as rows:
            for i in range(200_000):
                rows.write(f"{i},5,A,c,1,1,2020-01-01,,true,1,1\n")

    def start(self, query, *options, command=DISCREET):
        asked = subprocess.Popen([command, "sql", "--policy", str(self.policy), "--epsilon", "1", *options, query], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: asked.poll() is None and asked.kill())
        return asked

    def reserved(self, asked, before):
        """Waits until something is; gives the helper that runs it."""
        while self.spent() == before:
            self.assertIsNone(asked.poll(), asked.poll() is not None and asked.stderr.read())
            time.sleep(0.02)
        (helper,) = helpers_of(asked.pid)
        return helper

    def ended(self, asked, code, words, helper=None):
        out, err = asked.communicate(timeout=ENDS)
        self.assertEqual((asked.returncode, out, err), (code, "", words))
        if helper:
            self.assertFalse(alive(helper))
        self.assertEqual(list(self.temporary.iterdir()), [])

    def whole(self):
        self.run_discreet("budget", "verify", "--policy", self.policy)


class Crashes(Case):
    def test_a_crash_looks_like_every_failure(self):
        self.write_endless()
        for number, sent in enumerate([signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS, signal.SIGTERM, signal.SIGFPE]):
            with self.subTest(signal=sent):
                asked = self.start(self.ENDLESS)
                helper = self.reserved(asked, number)
                time.sleep(random.random() / 5)
                os.kill(helper, sent)
                self.ended(asked, 1, SPENT, helper)
                self.assertEqual(self.spent(), number + 1)
        self.whole()

    def test_at_any_moment(self):
        """Killed before, while or after it answers: an answer that is paid for, or one of two failures, and never one unpaid."""
        shown = 0
        for _ in range(25):
            before = self.spent()
            asked = self.start("SELECT COUNT(*) FROM visits")
            time.sleep(random.random() / 4)
            for helper in helpers_of(asked.pid):
                os.kill(helper, random.choice([signal.SIGKILL, signal.SIGSEGV]))
            out, err = asked.communicate(timeout=ENDS)
            if asked.returncode == 0:
                shown += 1
                self.assertEqual(self.spent(), before + 1)
            else:
                self.assertEqual((asked.returncode, out), (1, ""))
                nothing = SPENT.replace("what was reserved for it stays spent", "nothing was reserved")
                self.assertIn(err, [SPENT, nothing])
                self.assertEqual(self.spent(), before + (err == SPENT))
        self.assertGreater(shown, 0)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.whole()

    def test_it_leaves_no_trace(self):
        self.write_endless()
        asked = self.start(self.ENDLESS)
        helper = self.reserved(asked, 0)
        place = pathlib.Path(f"/proc/{helper}")
        for standard in "012":
            self.assertEqual(os.readlink(place / "fd" / standard), "/dev/null")
        limits = (place / "limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        self.assertRegex(limits, r"Max data size +\d+ +\d+ ")
        asked.send_signal(signal.SIGINT)
        self.ended(asked, 130, STOPPED, helper)

    def test_a_runaway_ends_in_the_helper(self):
        """Memory that nobody gives: the limit is the helper's own."""
        self.write_endless()
        asked = self.start(self.ENDLESS, "--memory", "64")
        helper = self.reserved(asked, 0)
        limit = int([line for line in pathlib.Path(f"/proc/{helper}/limits").read_text().splitlines() if line.startswith("Max data")][0].split()[3])
        self.assertLess(limit, 4 << 30)
        asked.send_signal(signal.SIGINT)
        self.ended(asked, 130, STOPPED, helper)

    def test_no_helper_outlives_its_service(self):
        self.write_endless()
        asked = self.start(self.ENDLESS)
        helper = self.reserved(asked, 0)
        asked.kill()
        asked.communicate(timeout=ENDS)
        end = time.monotonic() + ENDS
        while alive(helper) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertFalse(alive(helper))
        # what the helper had; the command itself had no time to tidy up
        self.assertLessEqual(len(list(self.temporary.iterdir())), 1)


class Ends(Case):
    """A helper that hears nothing stands for everything that can't be interrupted."""

    def test_a_signal(self):
        self.write_endless()
        for number, sent in enumerate([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]):
            with self.subTest(signal=sent):
                asked = self.start(self.ENDLESS)
                helper = self.reserved(asked, number)
                os.kill(helper, signal.SIGSTOP)
                asked.send_signal(sent)
                self.ended(asked, 130, STOPPED, helper)
        self.assertEqual(self.spent(), 3)
        self.whole()

    def test_a_time_limit(self):
        self.write_endless()
        asked = self.start(self.ENDLESS, "--timeout", "12")
        helper = self.reserved(asked, 0)
        os.kill(helper, signal.SIGSTOP)
        self.ended(asked, 1, LATE, helper)
        self.whole()

    def test_before_anything_is_reserved(self):
        asked = self.start("SELECT COUNT(*) FROM visits", "--timeout", "4")
        while not helpers_of(asked.pid):
            self.assertIsNone(asked.poll())
        os.kill(helpers_of(asked.pid)[0], signal.SIGSTOP)
        out, err = asked.communicate(timeout=ENDS)
        if asked.returncode != 0:  # it may have been quicker
            self.assertEqual((asked.returncode, out), (1, ""))
            self.assertIn("took longer than allowed", err)

    def test_the_command_itself(self):
        """A policy that never comes: nothing in the command looks at a flag while it waits for it."""
        pipe = self.place / "policy.toml"
        os.mkfifo(pipe)
        held = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, held)
        self.policy = pipe
        for command in (["sql", "--epsilon", "1"], ["profile", "--epsilon", "1"], ["explain", "--epsilon", "1"]):
            for sent in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(command=command, signal=sent):
                    asked = subprocess.Popen([DISCREET, *command, "--policy", str(pipe), "SELECT COUNT(*) FROM visits"], stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True, env=self.environment)
                    self.addCleanup(lambda asked=asked: asked.poll() is None and asked.kill())
                    while not self.catches(asked.pid, sent):
                        time.sleep(0.01)
                    asked.send_signal(sent)
                    self.ended(asked, 130, "discreet: interrupted; nothing was reserved\n")
        asked = self.start("SELECT COUNT(*) FROM visits", "--timeout", "0.5")
        self.ended(asked, 1, "discreet: the query took longer than allowed; nothing was reserved\n")

    @staticmethod
    def catches(process, sent):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        caught = int([line for line in status.splitlines() if line.startswith("SigCgt:")][0].split()[1], 16)
        return caught >> (sent - 1) & 1


class Places(Case):
    """The helper is where it was installed with the command, and nowhere else."""

    def setUp(self):
        super().setUp()
        self.bin = self.place / "bin"
        self.bin.mkdir()
        self.command = self.bin / "discreet"
        shutil.copy(DISCREET, self.command)
        self.helper = self.bin / "discreet-helper"

    def ask(self, *options):
        asked = self.start("SELECT COUNT(*) FROM visits", *options, command=self.command)
        out, err = asked.communicate(timeout=ENDS)
        return asked.returncode, out, err

    def test_none(self):
        elsewhere = self.place / "elsewhere"
        elsewhere.mkdir()
        shutil.copy(BUILD / "discreet-helper", elsewhere / "discreet-helper")
        self.environment["PATH"] = f"{elsewhere}:{self.environment['PATH']}"
        self.environment["LD_LIBRARY_PATH"] = str(elsewhere)
        os.chdir(elsewhere)
        self.addCleanup(os.chdir, "/")
        code, out, err = self.ask()
        self.assertEqual((code, out), (1, ""))
        self.assertIn("the program discreet-helper isn't there or can't be run; nothing was reserved", err)
        self.assertEqual(self.spent(), 0)
        self.helper.write_text("")  # not a program
        self.assertIn("isn't there or can't be run", self.ask()[2])
        self.helper.chmod(0o755)
        self.helper.write_bytes(b"\x7fELF nonsense")
        code, _, err = self.ask()
        self.assertEqual(code, 1)
        self.assertIn("nothing was reserved", err)
        self.assertEqual(self.spent(), 0)

    def test_there(self):
        shutil.copy(BUILD / "discreet-helper", self.helper)
        self.assertEqual(self.ask()[0], 0)
        self.assertEqual(self.spent(), 1)

    def test_a_broken_one(self):
        """It says it is ready, and then something that no helper says."""
        def message(word, text=b""):
            return word + struct.pack("<Q", len(text)) + text

        def joined(*texts):
            return b"".join(struct.pack("<Q", len(text)) + text for text in texts)
        answer = json.dumps({"columns": ["a"], "rows": [["many"]], "intervals": [[None]], "types": ["t"], "profile": []}).encode()
        tells = joined(b"0", b"patient 5 has x = 1; what was reserved for the query stays spent too", b"so it is")
        for number, said in enumerate([b"", b"d", message(b"d"), message(b"d", b"{"), message(b"d", answer[:-5]), message(b"?"), message(b"r"), message(b"d", b"[]"),
                                       b"d" + struct.pack("<Q", 1 << 62), message(b"f", tells), message(b"f", b"x"),
                                       message(b"d", b'{"columns":["a"],"rows":[[1,2]],"intervals":[[null,null]],"types":["ii"],"profile":[]}'),
                                       message(b"d", b'{"columns":["a"],"rows":[[1]],"intervals":[[null]],"types":["i"],"profile":[],"left_out":{"rows":{"share":"x"}}}')]):
            with self.subTest(said=said):
                self.helper.write_text(f"#!/usr/bin/env python3\nimport os, struct\n"
                                       f"def hear():\n    head = b''\n    while len(head) < 9: head += os.read(3, 9 - len(head))\n"
                                       f"    left = struct.unpack('<Q', head[1:])[0]\n    while left: left -= len(os.read(3, left))\n    return head[:1]\n"
                                       f"while hear() != b'p': pass\nos.write(3, {message(b'r')!r})\nhear()\nos.write(3, {said!r})\nos._exit(0)\n")
                self.helper.chmod(0o755)
                self.assertEqual(self.ask(), (1, "", SPENT))
                self.assertEqual(self.spent(), number + 1)
        self.whole()


if __name__ == "__main__":
    unittest.main()
