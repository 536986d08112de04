"""One budget for one data set, whatever it is called: files that are linked, renamed, copied, appended to and rewritten, under policies of their own."""
import os
import pathlib
import shutil
import tempfile
import unittest

from support import answer, discreet

COUNT = "SELECT COUNT(*) FROM visits"
ROWS = "patient,ward\n" + "".join(f"{i},{'AB'[i % 2]}\n" for i in range(4000))


def append(path, text):
    with path.open("a") as out:
        out.write(text)


class SameData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        self.visits = self.folder / "visits.csv"
        self.visits.write_text(ROWS)

    def policy(self, name, source, more=""):
        path = self.folder / f"{name}.toml"
        path.write_text(f'[policy]\nname = "{name}"\nunit = "patient"\nbudget = {{ epsilon = 1 }}\n{more}[tables.visits]\nsource = "{source}"\nkey = "patient"\n')
        return path

    def ask(self, policy, epsilon="0.1"):
        return discreet("sql", "--policy", policy, "--epsilon", epsilon, COUNT, env=self.environment)

    def answered(self, policy):
        done = self.ask(policy)
        self.assertEqual(done.returncode, 0, done.stderr)

    def joined(self, policy, why):
        done = self.ask(policy)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("already has a budget, in the ledger", done.stderr)
        self.assertIn(why, done.stderr)
        self.assertFalse(policy.with_suffix(".ledger").exists())

    def spent(self, policy):
        return answer("budget", "show", "--policy", policy, env=self.environment)["spent"]["epsilon"]

    def test_another_name_is_no_other_budget(self):
        other = self.folder / "other.csv"
        ways = {
            "hard link": (lambda: os.link(self.visits, other), "the same file"),
            "symbolic link": (lambda: other.symlink_to(self.visits), ""),
            "renamed": (lambda: self.visits.rename(other), "the same file"),
            "copy": (lambda: shutil.copy(self.visits, other), "a copy of a file there"),
            # its bytes moved, and its old name taken by something else
            "replaced": (lambda: (self.visits.rename(other), self.visits.write_text("patient,ward\n1,A\n")), "the same file"),
            "renamed, then appended to": (lambda: (self.visits.rename(other), append(other, "5000,A\n")), "the same file"),
            "linked, then rewritten": (lambda: (os.link(self.visits, other), other.write_text("patient,ward\n9,B\n")), "the same file"),
            "in another folder": (lambda: ((self.folder / "deep").mkdir(), shutil.copy(self.visits, self.folder / "deep/x.csv"), other.symlink_to(self.folder / "deep/x.csv")), "a copy of a file there"),
        }
        first = self.policy("first", "visits.csv")
        self.answered(first)
        for way, (do, why) in ways.items():
            with self.subTest(way=way):
                do()
                self.joined(self.policy("second", "other.csv"), why)
                # naming the ledger is the way to go on, and then it is one budget
                named = self.policy("second", "other.csv", f'ledger = "{first.with_suffix(".ledger").name}"\n')
                before = self.spent(named)
                self.answered(named)
                self.assertAlmostEqual(self.spent(named), before + 0.1)
                shutil.rmtree(self.folder / "deep", ignore_errors=True)
                for path in self.folder.glob("*"):
                    if path.is_file() or path.is_symlink():
                        path.unlink()
                shutil.rmtree(self.folder / "state")
                self.visits.write_text(ROWS)
                first = self.policy("first", "visits.csv")
                self.answered(first)

    def test_a_ledger_of_before_marks_guards_hard_links(self):
        first = self.policy("first", "visits.csv")
        self.answered(first)
        self.visits.unlink()  # another file of that name since the ledger was used
        self.visits.write_text(ROWS + "7777,A\n")
        os.link(self.visits, self.folder / "other.csv")
        self.joined(self.policy("second", "other.csv"), "the same file")

    def test_what_differs_is_left_alone(self):
        """A name that doesn't match refuses nothing: other data has a budget of its own, a file that changes keeps its own."""
        first = self.policy("first", "visits.csv")
        self.answered(first)
        (self.folder / "other.csv").write_text(ROWS.replace("3999,B", "3999,A"))
        self.answered(self.policy("second", "other.csv"))
        changes = [lambda: append(self.visits, "4000,A\n"), lambda: self.visits.write_text(ROWS[:20000]),
                   lambda: (self.visits.unlink(), self.visits.write_text(ROWS + "1,A\n")), lambda: self.visits.write_text("patient,ward\n"),
                   lambda: self.visits.write_text(ROWS)]
        for step, change in enumerate(changes):
            change()
            self.answered(first)
            self.assertAlmostEqual(self.spent(first), 0.1 * (step + 2))
        # every version of it is known: a copy of one of them, kept from before
        (self.folder / "kept.csv").write_text(ROWS + "1,A\n")
        self.joined(self.policy("third", "kept.csv"), "a copy of a file there")
        # empty files are nobody's
        for name in "a", "b":
            (self.folder / f"{name}.csv").write_text("")
            done = self.ask(self.policy(name, f"{name}.csv"))
            self.assertNotIn("already has a budget", done.stderr)

    def test_a_known_source_is_never_refused_for_its_rows(self):
        """Two policies with ledgers of their own, whose files become equal: what a question says must not depend on that. A link does."""
        first, second = self.policy("first", "visits.csv"), self.policy("second", "other.csv")
        other = self.folder / "other.csv"
        other.write_text(ROWS.replace("3999,B", "3999,A"))
        self.answered(first)
        self.answered(second)
        other.write_text(ROWS)
        self.answered(second)
        self.answered(first)
        other.unlink()
        os.link(self.visits, other)
        done = self.ask(second)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the same file", done.stderr)

    def test_shared_on_purpose(self):
        self.answered(self.policy("first", "visits.csv"))
        os.link(self.visits, self.folder / "other.csv")
        second = self.policy("second", "other.csv")
        self.joined(second, "the same file")
        done = discreet("budget", "init", "--share", "--reason", "another study", "--policy", second, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.answered(second)
        self.answered(self.folder / "first.toml")

    def test_the_key_is_secret_and_nothing_of_the_rows_is_exported(self):
        first = self.policy("first", "visits.csv")
        self.answered(first)
        registry = self.folder / "state/discreet/ledgers"
        key = registry / "key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        self.assertEqual(registry.stat().st_mode & 0o777, 0o700)
        (entry,) = registry.glob("*.json")
        self.assertEqual(entry.stat().st_mode & 0o777, 0o600)
        marks = [line for line in entry.read_text().split('"') if line.startswith(("content ", "inode "))]
        self.assertEqual(len(marks), 2, marks)
        exported = discreet("budget", "export", "--policy", first, env=self.environment).stdout
        for word in [key.read_text().strip(), *marks, *(mark.split()[1] for mark in marks)]:
            self.assertNotIn(word, exported)
        # A key that is cut is an error; one that is gone takes the copies' marks with it, and nothing else.
        whole = key.read_text()
        for damaged in "", whole[:-2], whole.replace("\n", ""), "x" + whole[1:]:
            key.write_text(damaged)
            done = self.ask(first)
            self.assertEqual(done.returncode, 1)
            self.assertIn("this key is damaged", done.stderr)
        key.unlink()
        self.answered(first)
        os.link(self.visits, self.folder / "other.csv")
        self.joined(self.policy("second", "other.csv"), "the same file")


if __name__ == "__main__":
    unittest.main()
