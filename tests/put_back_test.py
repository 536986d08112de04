"""Every file that carries an account, put back from an older copy, cut, or copied: nothing is given out twice, and where it can't be noticed that is
known. (Checkpoints of trainings: learn_resume_test.py; the ledger's own crashes: ledger_test.py.)"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import DISCREET, answer, discreet

COUNT = "SELECT COUNT(*) FROM visits"


class PutBack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        (self.folder / "visits.csv").write_text("patient,ward\n" + "".join(f"{i},A\n" for i in range(1000)))
        self.policy = self.folder / "clinic.toml"
        self.policy.write_text('[policy]\nname = "clinic"\nunit = "patient"\nbudget = { epsilon = 1, delta = 1e-6 }\n[tables.visits]\nsource = "visits.csv"\nkey = "patient"\n')

    def ask(self, epsilon="0.1", *more):
        return discreet("sql", "--policy", self.policy, "--epsilon", epsilon, "--json", *more, COUNT, env=self.environment)

    def spent(self):
        return answer("budget", "show", "--policy", self.policy, env=self.environment)["spent"]["epsilon"]

    def files(self):
        """What carries the account, by name."""
        registry = self.folder / "state/discreet/ledgers"
        (entry,), (head,) = registry.glob("*.json"), registry.glob("*.head")
        return {"ledger": self.folder / "clinic.ledger", "entry": entry, "head": head, "key": registry / "key"}

    def test_one_file_at_a_time(self):
        self.assertEqual(self.ask().returncode, 0)
        files = self.files()
        older = {name: path.read_bytes() for name, path in files.items()}
        # The source changes too, so that every file but the key is another one now.
        (self.folder / "visits.csv").write_text("patient,ward\n1,A\n")
        self.assertEqual(self.ask("0.2").returncode, 0)
        newer = {name: path.read_bytes() for name, path in files.items()}
        self.assertEqual([name for name in files if older[name] == newer[name]], ["key"])
        self.assertAlmostEqual(self.spent(), 0.3)
        budget = 0.3
        # what is done to which file: the words of a refusal, or None where it goes on, with all that was spent
        table = [("ledger", "older", "has 3 records, but 5 are known"), ("ledger", "gone", "the ledger is missing"), ("ledger", "cut", ""), ("ledger", "empty", ""),
                 ("head", "older", None), ("head", "gone", None), ("head", "half", None), ("head", "cut", "registry entry is damaged"), ("head", "empty", "registry entry is damaged"),
                 ("entry", "older", None), ("entry", "gone", None), ("entry", "cut", "registry entry is damaged"), ("entry", "empty", "registry entry is damaged"),
                 ("key", "gone", None), ("key", "cut", "this key is damaged"), ("key", "empty", "this key is damaged")]
        for name, what, words in table:
            with self.subTest(file=name, what=what):
                path, now = files[name], {other: path.read_bytes() for other, path in files.items()}
                if what == "gone":
                    path.unlink()
                else:
                    path.write_bytes({"older": older[name], "cut": now[name][:20], "half": now[name][:len(now[name]) // 2], "empty": b""}[what])
                done = self.ask("0.01")
                if words is None:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    budget += 0.01
                    # and what it no longer knew it knows again: a rollback of the ledger is noticed from then on
                    files["ledger"].write_bytes(now["ledger"])
                    done = self.ask("0.01")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("are known", done.stderr)
                    budget -= 0.01
                else:
                    self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                    self.assertIn(words, done.stderr)
                for other, bytes_ in now.items():
                    files[other].write_bytes(bytes_)
                self.assertAlmostEqual(self.spent(), budget)
        # an entry of before the data changed still guards it
        files["entry"].write_bytes(older["entry"])
        other = self.folder / "other.toml"
        other.write_text(self.policy.read_text().replace("clinic", "other"))
        done = discreet("sql", "--policy", other, "--epsilon", "0.1", COUNT, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("already has a budget", done.stderr)

    def test_everything_at_once_is_told_by_receipts_alone(self):
        """The ledger and what knows of it, restored together: nobody is left who knows more, but whoever has a receipt."""
        self.assertEqual(self.ask().returncode, 0)
        shutil.copytree(self.folder, self.folder.with_name(self.folder.name + "-backup"))
        self.addCleanup(shutil.rmtree, self.folder.with_name(self.folder.name + "-backup"))
        late = self.ask("0.2")
        self.assertEqual(late.returncode, 0)
        (self.folder / "receipt.json").write_text(late.stdout)
        verify = lambda: discreet("budget", "verify", "--policy", self.policy, "--receipt", self.folder / "receipt.json", env=self.environment)
        self.assertEqual(verify().returncode, 0)
        backup = self.folder.with_name(self.folder.name + "-backup")
        shutil.rmtree(self.folder / "state")
        shutil.copytree(backup / "state", self.folder / "state")
        shutil.copy(backup / "clinic.ledger", self.folder / "clinic.ledger")
        self.assertEqual(self.ask("0.2").returncode, 0)
        done = verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not in this ledger", done.stderr)

    def test_profiles_are_in_the_ledger(self):
        """What `profile` bought is used later, and goes with its ledger: there is no file of it to put back."""
        before = set(self.folder.rglob("*"))
        done = discreet("profile", "--policy", self.policy, "--epsilon", "0.1", "SELECT ward, COUNT(*) FROM visits GROUP BY ward", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        fresh = {path.relative_to(self.folder).parts[0] for path in set(self.folder.rglob("*")) - before}
        self.assertLessEqual(fresh, {"clinic.ledger", "clinic.ledger-lock", "clinic.ledger-wal", "clinic.ledger-shm", "state"})

    def perturb(self, values, memory):
        return subprocess.run([DISCREET, "local", "perturb", "flat", "--epsilon", "1", "--domain", "1000000", "--permanent", "2", "--memory", memory],
                              input="".join(f"{value}\n" for value in values), text=True, capture_output=True)

    def test_a_clients_memory(self):
        """Cut or changed it is refused. An older one is as good a memory as any: what it doesn't have is drawn anew, as the documentation says."""
        memory = self.folder / "client"
        self.assertEqual(self.perturb([3], memory).returncode, 0)
        older = memory.read_bytes()
        self.assertEqual(self.perturb([5], memory).returncode, 0)
        newer = memory.read_text()
        for damaged in older[:-1], newer.encode()[:-3], b"", older + older:
            memory.write_bytes(damaged)
            done = self.perturb([5], memory)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(memory.read_bytes(), damaged)
        memory.write_bytes(older)
        self.assertEqual(self.perturb([3, 5], memory).returncode, 0)
        lines = lambda text: {line.split()[0]: line for line in text.splitlines()[3:-1]}
        again = lines(memory.read_text())
        self.assertEqual(again["3"], lines(newer)["3"])
        self.assertNotEqual(again["5"], lines(newer)["5"])  # with probability 1 − 1e-6·…: another ε, as local.md says
        self.assertIn("drawn anew", " ".join((pathlib.Path(os.environ["SOURCE"]) / "docs/local.md").read_text().split()))


if __name__ == "__main__":
    unittest.main()
