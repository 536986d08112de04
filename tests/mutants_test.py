"""The lists of mutants (tests/mutants) still apply to the sources: `make mutants`, in the second tier, then runs them."""
import pathlib
import sys
import tempfile
import unittest

from support import SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "mutants"))
import lists

ENTRY = "id: A1\nfile: src/a/a.cc\nbreaks: twice the noise\n- 2 * scale\n+ scale\n"


class Mutants(unittest.TestCase):
    def test_every_one_applies(self):
        self.assertEqual(lists.problems(lists.read()), [])

    def test_a_room_with_tests_has_a_list(self):
        tested = {path.relative_to(SOURCE / "src").parts[0] for path in (SOURCE / "src").rglob("*_test.cc")}
        self.assertEqual({path.stem for path in lists.FOLDER.glob("*.txt")}, tested)

    def read(self, text):
        return lists.parse(text, "a", "a.txt")

    def test_entries_are_read(self):
        first, second = self.read(f"# of a\n\n{ENTRY}\nid: A2\nfile: src/a/b.cc\ntests: b B.*\nbreaks: c\nequivalent: d\n- x\n-   y\n")
        self.assertEqual((first.id, first.old, first.new, first.program(), first.filter()), ("A1", "2 * scale", "scale", "a", "*-*Slow*:*Search*"))
        self.assertEqual((second.old, second.new, second.program(), second.filter()), ("x\n  y", "", "b", "B.*-*Slow*:*Search*"))
        self.assertEqual(second.equivalent, "d")
        self.assertEqual(second.where, "a.txt:9")

    def test_lines_may_be_broken_elsewhere(self):
        mutant = self.read(ENTRY)[0]
        self.assertEqual(mutant.applied("noise(2\n    *scale);"), "noise(scale);")

    def test_what_cannot_be_read_is_refused(self):
        for text, said in [(ENTRY.replace("breaks: twice the noise\n", ""), "breaks: is missing"),
                           (ENTRY.replace("- 2 * scale\n", ""), "begins with - is missing"),
                           (ENTRY.replace("2 * ", ""), "changes nothing"),
                           (ENTRY + "why: because\n", "got: why: because"),
                           (ENTRY + "breaks: more\n", "got: breaks: more"),
                           ("id: A1\n" + ENTRY, "id: stands there twice")]:
            with self.subTest(said=said):
                with self.assertRaisesRegex(lists.Wrong, said):
                    self.read(text)

    def test_what_does_not_apply_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "a").mkdir(parents=True)
            source = root / "src" / "a" / "a.cc"
            mutants = self.read(ENTRY)
            self.assertIn("isn't there", lists.problems(mutants, root)[0])
            source.write_text("noise(2 * scale);")
            self.assertIn("has none", lists.problems(mutants, root)[0])
            (root / "src" / "a" / "a_test.cc").write_text("")
            self.assertEqual(lists.problems(mutants, root), [])
            source.write_text("noise(scale);")
            self.assertIn("0 times", lists.problems(mutants, root)[0])
            source.write_text("noise(2 * scale, 2 * scale);")
            self.assertIn("2 times", lists.problems(mutants, root)[0])

    def test_two_of_one_name_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for room in "ab":
                (pathlib.Path(folder) / f"{room}.txt").write_text(ENTRY)
            with self.assertRaisesRegex(lists.Wrong, "A1 stands in tests/mutants/a.txt:1 too"):
                lists.read(pathlib.Path(folder))


if __name__ == "__main__":
    unittest.main()
