"""The ledger must survive: kill -9, many processes, a full or read-only disk, damage, a wrong clock, power loss."""
import fractions
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import re
import subprocess
import tempfile
import time
import unittest

import power_loss
from support import BUILD, slow

PROBE = BUILD / "tests/ledger-probe"
FAULTS = BUILD / "tests/faults.so"
SEED = 20261115


def everybodys_copy(folder):
    """The probe and its libraries where any user can run them: the build may stand in a home that is closed to others."""
    os.chmod(folder, 0o755)
    linked = subprocess.run(["ldd", PROBE], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", linked):
        if not path.startswith(("/lib", "/usr")):
            shutil.copy(path, pathlib.Path(folder) / name)
    return shutil.copy(PROBE, folder)


class Place:
    """A folder with a ledger and the registry of its user; both are under root, so that faults meet both."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.ledger = self.root / "clinic.ledger"

    def environment(self, **faults):
        out = {**os.environ, "XDG_STATE_HOME": str(self.root / "state")}
        if faults:
            out.update(LD_PRELOAD=str(FAULTS), FAULTS_ROOT=str(self.root), **{f"FAULTS_{k.upper()}": str(v) for k, v in faults.items()})
        return out

    def spend(self, epsilon="0.001", count=1, budget="1", analyst="probe", user=None, program=PROBE, **faults):
        environment = self.environment(**faults)
        if program != PROBE:
            environment["LD_LIBRARY_PATH"] = str(pathlib.Path(program).parent)
        return subprocess.run([program, "spend", self.ledger, budget, epsilon, str(count), analyst], capture_output=True, text=True,
                              timeout=120, env=environment, user=user)

    def status(self, budget="1", **faults):
        return subprocess.run([PROBE, "status", self.ledger, budget], capture_output=True, text=True, timeout=120,
                              env=self.environment(**faults))

    def spent(self):
        """(spent ε, records, unfinished) of a ledger that verifies."""
        done = self.status()
        assert done.returncode == 0, done.stderr
        epsilon, records, unfinished = done.stdout.split()
        return fractions.Fraction(epsilon), int(records), int(unfinished)

    def steps(self, **options):
        """How many steps one spend takes, without doing it here: in a copy."""
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(self.root, root, dirs_exist_ok=True)
            journal = pathlib.Path(root) / "journal"
            copy = Place(root)
            # the registry knows the ledger by its id, not only by its path
            copy.spend(log=journal, **options)
            return sum('"op":"say"' not in line for line in journal.read_text().splitlines())


class Ledger(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Place(folder.name)
        self.chance = random.Random(SEED)

    def assertShown(self, answers, before, step):
        """Every answer that was shown has its durable record, and the total has grown by at least their cost."""
        records = set()
        if answers:
            database = sqlite3.connect(self.place.ledger)
            records = {(str(record), hash_) for record, hash_ in database.execute("SELECT record, hash FROM record")}
            database.close()
        for line in answers.splitlines():
            id_, hash_ = line.split()
            self.assertIn((id_.rsplit("-", 1)[1], hash_), records)
        after = self.place.spent()[0]
        self.assertGreaterEqual(after, before + len(answers.splitlines()) * fractions.Fraction("0.001"), f"at step {step}")
        return after

    def test_ten_tenths_are_one(self):
        self.assertEqual(self.place.spend("0.1", 10).returncode, 0)
        self.assertEqual(self.place.spent()[0], 1)
        eleventh = self.place.spend("0.1")
        self.assertEqual(eleventh.returncode, 4)
        for word in ["Requested: ε 0.1", "Remaining: ε 0", "Missing: ε 0.1"]:
            self.assertIn(word, eleventh.stderr)
        self.assertEqual(eleventh.stdout, "")

    def test_kill_at_every_step(self):
        # first in an empty folder (creation is part of it), then in one that is in use
        for made in [False, True]:
            before, step = self.place.spent()[0] if made else 0, 0
            while True:
                step += 1
                if not made:
                    shutil.rmtree(self.place.root)
                    self.place.root.mkdir()
                    before = 0
                done = self.place.spend(kill=step)
                if done.returncode == 0:  # it takes fewer steps than that
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, (step, done.stderr))
                after = self.assertShown(done.stdout, before, step)
                if "reserved" in done.stderr:
                    self.assertGreaterEqual(after, before + fractions.Fraction("0.001"))
                # nobody is locked out
                done = self.place.spend()
                self.assertEqual(done.returncode, 0, (step, done.stderr))
                before = self.assertShown(done.stdout, after, step)
            self.assertGreater(step, 12)

    def test_kill_at_200_random_moments(self):
        self.check_random_moments(200)

    @slow
    def test_kill_at_2000_random_moments(self):
        self.check_random_moments(2000)

    def check_random_moments(self, moments):
        before, answers = 0, 0
        for turn in range(moments):
            running = subprocess.Popen([PROBE, "spend", self.place.ledger, "1000", "0.001", "1000"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, env=self.place.environment())
            # sometimes while it starts, mostly some moments after an answer
            shown = running.stdout.readline() if turn % 5 else ""
            time.sleep(self.chance.uniform(0, 0.02 if turn % 5 else 0.1))
            running.kill()
            shown += running.communicate()[0]
            answers += shown.count("\n")
            # a line that was cut off in the pipe was shown all the same
            complete = "".join(line for line in shown.splitlines(True) if line.endswith("\n"))
            before = self.assertShown(complete, before, "random")
        self.assertGreaterEqual(answers, 0.8 * moments)
        self.assertGreaterEqual(before, answers * fractions.Fraction("0.001"))

    def test_sixteen_processes(self):
        running = [subprocess.Popen([PROBE, "spend", self.place.ledger, "1", "1/160", "1000", f"analyst{i}"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, env=self.place.environment()) for i in range(16)]
        shown = []
        for process in running:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 4, err)  # each stops when the budget is empty, for no other reason
            shown += out.splitlines()
        self.assertEqual(len(shown), 160)
        self.assertEqual(len(set(shown)), 160)
        self.assertEqual(self.place.spent(), (1, 1 + 2 * 160, 0))

    def test_disk_full_at_every_step(self):
        self.place.spend()
        before = self.place.spent()[0]
        told = 0
        for step in range(1, self.place.steps() + 1):
            done = self.place.spend(full=step)
            after = self.place.spent()[0]
            self.assertGreaterEqual(after, before)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, "disk is full|No space left|the disk not full")
                self.assertEqual(done.stdout, "")
                told += 1
                if "nothing was spent" in done.stderr:
                    self.assertEqual(after, before, (step, done.stderr))
                else:
                    self.assertRegex(done.stderr, "stays spent|counts as spent")
            before = after
        self.assertGreater(told, 8)
        self.assertEqual(self.place.spend().returncode, 0)

    def test_the_registry_alone_is_full(self):
        # the ledger's disk has room: the reservation, of which no data was read, is given back
        self.place.spend()
        before = self.place.spent()[0]
        shutil.move(self.place.root / "state", self.place.root / "elsewhere")
        environment = {**self.place.environment(), "XDG_STATE_HOME": str(self.place.root / "elsewhere"), "LD_PRELOAD": str(FAULTS),
                       "FAULTS_ROOT": str(self.place.root / "elsewhere"), "FAULTS_FULL": "1"}
        done = subprocess.run([PROBE, "spend", self.place.ledger, "1", "0.001", "1"], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 1)
        shutil.move(self.place.root / "elsewhere", self.place.root / "state")
        self.assertEqual(self.place.spent()[0], before)
        self.assertEqual(self.place.spent()[2], 0)
        self.assertIn("nothing was spent", done.stderr)

    def test_read_only(self):
        self.place.spend()
        before = self.place.spent()
        user = 65534 if os.getuid() == 0 else None  # root may write anywhere
        subprocess.run(["chmod", "-R", "a+rX", self.place.root], check=True)
        for path in [self.place.root, self.place.ledger]:
            path.chmod(path.stat().st_mode & ~0o222)
        with tempfile.TemporaryDirectory() as folder:
            done = self.place.spend(user=user, program=PROBE if user is None else everybodys_copy(folder))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "can't be written|Permission denied|Read-only")
        self.assertIn("nothing was spent", done.stderr)
        for path in [self.place.root, self.place.ledger]:
            path.chmod(path.stat().st_mode | 0o200)
        self.assertEqual(self.place.spent(), before)

    def test_removed(self):
        self.place.spend()
        aside = self.place.root / "aside"
        self.place.ledger.rename(aside)
        done = self.place.spend()
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing", done.stderr)
        self.assertIn("nothing was spent", done.stderr)
        self.assertFalse(self.place.ledger.exists(), "a missing ledger must not be started afresh")
        aside.rename(self.place.ledger)
        self.assertEqual(self.place.spend().returncode, 0)

    def test_an_older_copy(self):
        self.place.spend()
        shutil.copy(self.place.ledger, self.place.root / "backup")
        self.place.spend()
        shutil.copy(self.place.ledger, self.place.root / "current")
        shutil.copy(self.place.root / "backup", self.place.ledger)
        done = self.place.spend()
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 records, but 5 are known", done.stderr)
        shutil.copy(self.place.root / "current", self.place.ledger)
        self.assertEqual(self.place.spend().returncode, 0)

    def test_truncated(self):
        self.place.spend(count=20)
        whole = self.place.ledger.read_bytes()
        for size in [0, 1, 100, 512, 4095, 4096, 4097, 8192, len(whole) // 2, len(whole) - 4096, len(whole) - 1]:
            self.place.ledger.write_bytes(whole[:size])
            for done in [self.place.status(), self.place.spend()]:
                self.assertEqual(done.returncode, 1, (size, done.stdout))
                self.assertIn("nothing was spent", done.stderr)
        self.place.ledger.write_bytes(whole)
        self.assertEqual(self.place.spent()[0], fractions.Fraction("0.02"))

    def test_a_flipped_bit(self):
        self.check_flipped_bits(250)

    @slow
    def test_thousands_of_flipped_bits(self):
        self.check_flipped_bits(8000)

    def check_flipped_bits(self, flips):
        self.place.spend(count=5)
        whole, truth = self.place.ledger.read_bytes(), self.place.spent()
        found = 0
        for _ in range(flips):
            place = self.chance.randrange(len(whole) * 8)
            damaged = bytearray(whole)
            damaged[place // 8] ^= 1 << place % 8
            for name in ["-wal", "-shm"]:
                pathlib.Path(str(self.place.ledger) + name).unlink(missing_ok=True)
            self.place.ledger.write_bytes(damaged)
            done = self.place.status()
            self.assertIn(done.returncode, [0, 1], (place, done.stderr))
            if done.returncode == 1:
                found += 1
            else:  # a bit that nothing uses
                epsilon, records, unfinished = done.stdout.split()
                self.assertEqual((fractions.Fraction(epsilon), int(records), int(unfinished)), truth, place)
        self.assertGreater(found, 20)

    def test_an_edited_record(self):
        self.place.spend(count=3)
        database = sqlite3.connect(self.place.ledger)
        with self.assertRaisesRegex(sqlite3.DatabaseError, "append-only"):
            database.execute("DELETE FROM record WHERE record = 3")
        with self.assertRaisesRegex(sqlite3.DatabaseError, "append-only"):
            database.execute("UPDATE record SET body = '' WHERE record = 3")
        database.close()
        original = self.place.ledger.read_bytes()
        for edit in ["UPDATE record SET body = replace(body, '0.001', '0.000') WHERE record = 2", "DELETE FROM record WHERE record = 3",
                     "DELETE FROM record WHERE record > 5", "UPDATE result SET body = '{}' WHERE record = 3",
                     "UPDATE record SET hash = hash || '0' WHERE record = 4"]:
            database = sqlite3.connect(self.place.ledger)
            for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                database.execute(f"DROP TRIGGER {trigger}")
            database.execute(edit)
            database.commit()
            database.close()
            self.assertEqual(self.place.status().returncode, 1, edit)
            self.place.ledger.write_bytes(original)
            self.assertEqual(self.place.status().returncode, 0)

    def test_clock_set_back(self):
        self.place.spend()
        before = self.place.spent()
        done = self.place.spend(clock=-3600)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "the clock says .* but the ledger's last record is of")
        self.assertEqual(self.place.spent(), before)
        self.assertEqual(self.place.spend(clock=-5).returncode, 0, "a little skew between machines is no matter")

    def test_newer_format(self):
        self.place.spend()
        database = sqlite3.connect(self.place.ledger)
        database.execute("PRAGMA user_version = 2")
        database.close()
        done = self.place.spend()
        self.assertEqual(done.returncode, 1)
        self.assertIn("format 2", done.stderr)
        self.assertIn("newer Discreet", done.stderr)

    def test_not_a_ledger(self):
        database = sqlite3.connect(self.place.ledger)
        database.execute("CREATE TABLE precious(x)")
        database.close()
        content = self.place.ledger.read_bytes()
        self.assertIn("not a Discreet ledger", self.place.spend().stderr)
        self.assertEqual(self.place.ledger.read_bytes(), content)
        self.place.ledger.write_text("some notes of mine\n" * 100)
        self.assertEqual(self.place.spend().returncode, 1)
        self.assertEqual(self.place.ledger.read_text(), "some notes of mine\n" * 100)

    def test_a_damaged_registry_entry(self):
        self.place.spend(count=2)
        registry = self.place.root / "state/discreet/ledgers"
        for entry in [*registry.glob("*.json"), *registry.glob("*.head")]:
            content = entry.read_bytes()
            for damaged in [content[:20], content.replace(b"1", b"2").replace(b"a", b"b"), b""]:
                entry.write_bytes(damaged)
                done = self.place.spend()
                self.assertEqual(done.returncode, 1, entry)
                self.assertIn("registry entry is damaged", done.stderr)
            entry.write_bytes(content)
            self.assertEqual(self.place.spend().returncode, 0)

    def test_power_loss(self):
        # Three programs one after the other, each with two answers; then the power goes at any point of that.
        with tempfile.TemporaryDirectory() as elsewhere:
            journal = pathlib.Path(elsewhere) / "journal"
            for _ in range(3):
                self.assertEqual(self.place.spend(count=2, log=journal).returncode, 0)
            steps = power_loss.read_journal(journal)
        self.assertGreater(len(steps), 60)
        self.assertGreater(self.check_power_loss(steps), 100)

    @slow
    def test_power_loss_at_every_step(self):
        # Longer, and at each step with several shares of what was written but not synced.
        with tempfile.TemporaryDirectory() as elsewhere:
            journal = pathlib.Path(elsewhere) / "journal"
            for count in [1, 2, 5, 1, 3]:
                self.assertEqual(self.place.spend(count=count, log=journal).returncode, 0)
            steps = power_loss.read_journal(journal)
        self.assertGreater(self.check_power_loss(steps, shares=[0, 0.2, 0.5, 0.8, 1]), 5 * len(steps) - 1)

    def test_power_loss_finds_a_missing_sync(self):
        # The broken twin: the same journal as if the ledger's log had never been synced, only the registry.
        with tempfile.TemporaryDirectory() as elsewhere:
            journal = pathlib.Path(elsewhere) / "journal"
            self.assertEqual(self.place.spend(count=2, log=journal).returncode, 0)
            steps = [step for step in power_loss.read_journal(journal) if not (step["op"] == "sync" and step["path"].endswith("-wal"))]
        with self.assertRaises(AssertionError):
            self.check_power_loss(steps)

    def check_power_loss(self, steps, shares=None):
        disk, checked = power_loss.Disk(), 0
        for position, step in enumerate(steps):
            disk.apply(step)
            for keep in shares or ([0, 0.5, 1] if position % 4 == 0 else [self.chance.choice([0, 0.5])]):
                with tempfile.TemporaryDirectory() as root:
                    power_loss.lay_out(disk.after_power_loss(self.chance, keep), self.place.root, root)
                    back = Place(root)
                    done = back.status()
                    self.assertEqual(done.returncode, 0, (position, keep, done.stderr))
                    self.assertGreaterEqual(fractions.Fraction(done.stdout.split()[0]), fractions.Fraction(len(disk.said), 1000), (position, keep))
                    if position % 7 == 0:
                        done = back.spend()
                        self.assertEqual(done.returncode, 0, (position, keep, done.stderr))
                checked += 1
        return checked


if __name__ == "__main__":
    unittest.main()
