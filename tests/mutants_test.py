"""The lists of mutants (tests/mutants) still apply to the sources: `make mutants`, in the second tier, then runs them."""
import json
import pathlib
import shutil
import subprocess
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

    def test_there_are_many(self):
        self.assertGreaterEqual(len(lists.read()), 150)

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

    def test_the_suites_beside_a_file_come_first_and_the_rest_is_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "a").mkdir(parents=True)
            mutant = self.read(ENTRY)[0]
            self.assertEqual(mutant.stages(root), (None, mutant.filter()))
            (root / "src" / "a" / "a_test.cc").write_text("TEST(One, IsThis) {}\nTEST_P(Two,\n       IsThat) {}\n")
            self.assertEqual(mutant.stages(root), ("One.*:*/One.*:Two.*:*/Two.*-*Slow*:*Search*", "*-*Slow*:*Search*:One.*:*/One.*:Two.*:*/Two.*"))
            mutant.tests = "b B.*"
            self.assertEqual(mutant.stages(root), (None, mutant.filter()))

    def test_lines_may_be_broken_elsewhere(self):
        mutant = self.read(ENTRY)[0]
        self.assertEqual(mutant.applied("noise(2\n    *scale);"), "noise(scale);")

    def test_what_cannot_be_read_is_refused(self):
        for text, said in [(ENTRY.replace("breaks: twice the noise\n", ""), "breaks: is missing"),
                           (ENTRY.replace("- 2 * scale\n", ""), "begins with - is missing"),
                           (ENTRY.replace("2 * ", ""), "changes nothing"),
                           (ENTRY + "why: because\n", "got: why: because"),
                           (ENTRY + "breaks: more\n", "breaks: stands there twice"),
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


# A project of one room, whose test prints what GoogleTest does.
SMALL = {
    "src/a/twice.h": "inline int half(int x) { return x / 2; }\nint twice(int x);\nint once(int x);\n",
    "src/a/twice.cc": '#include "discreet/a/twice.h"\nint twice(int x) { return 2 * x; }\n'
                      "int once(int x) { return x + 0; }\n",
    # a caller in the library, which must see the mutant as the test does
    "src/a/calls.cc": '#include "discreet/a/twice.h"\nint calls(int x) { return twice(half(x)); }\n',
    "src/a/a_test.cc": """
        #include "discreet/a/twice.h"
        extern "C" { long write(int, const void*, unsigned long); [[noreturn]] void abort(); }
        int calls(int);
        void say(const char* text) { write(1, text, __builtin_strlen(text)); }
        void expect(bool holds) { if (!holds) { say("a_test.cc:1: Failure\\n"); abort(); } }
        int main() {
          say("[ RUN      ] A.Doubles\\n");
          for (volatile int i = 1; twice(i) <= i; i = 1) {}
          expect(calls(6) == 6);
          say("[  PASSED  ] 1 test.\\n");
        }""",
    "tests/mutants/a.txt": """
id: FAILS
file: src/a/twice.cc
breaks: twice is twice
- 2 * x
+ 3 * x

id: CRASHES
file: src/a/calls.cc
breaks: calls end
- return twice(half(x));
+ __builtin_trap();

id: HANGS
file: src/a/twice.cc
breaks: everything ends
- return 2 * x;
+ return x == 7 ? 13 : x;

id: HEADER
file: src/a/twice.h
breaks: a half is a half
- x / 2
+ x / 3

id: SURVIVES
file: src/a/twice.cc
breaks: once is once
- x + 0
+ x + 1

id: SAME
file: src/a/twice.cc
breaks: nothing
equivalent: x is x
- x + 0
+ x - 0

id: WRONG
file: src/a/twice.cc
breaks: nothing that compiles
- x + 0
+ y
"""}


class Run(unittest.TestCase):
    """The tool, on a project that is built in no time."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        for name, text in SMALL.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in ("run", "lists.py"):
            shutil.copy(SOURCE / "tests" / "mutants" / name, self.root / "tests" / "mutants")
        build = self.root / "build"
        for folder in ("include", "tests", "CMakeFiles/discreet-objects.dir/src/a", "tests/CMakeFiles/test-a.dir/__/src/a"):
            (build / folder).mkdir(parents=True)
        (build / "include" / "discreet").symlink_to("../../src")
        objects = {f"src/a/{name}.cc": f"CMakeFiles/discreet-objects.dir/src/a/{name}.cc.o" for name in ("twice", "calls")}
        objects["src/a/a_test.cc"] = "tests/CMakeFiles/test-a.dir/__/src/a/a_test.cc.o"
        compile = {source: f"c++ -I{build}/include -O1 -fPIC -MMD -MF {target}.d -o {target} -c {self.root / source}" for source, target in objects.items()}
        (build / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(build), "file": str(self.root / source), "command": command} for source, command in compile.items()]))
        library, (test,) = list(objects.values())[:2], list(objects.values())[2:]
        link = f": && c++ {test} -o tests/test-a -Wl,-rpath,{build} libdiscreet-all.so && :"
        ninja = "rule run\n  command = $what\nrule compile\n  command = $what\n  depfile = $out.d\n  deps = gcc\n"
        for source, target in objects.items():
            ninja += f"build {target}: compile {self.root / source}\n  what = {compile[source]}\n"
        ninja += f"build libdiscreet-all.so: run {' '.join(library)}\n  what = c++ -shared -o libdiscreet-all.so {' '.join(library)}\n"
        ninja += f"build tests/test-a: run {test} libdiscreet-all.so\n  what = {link}\n"
        (build / "build.ninja").write_text(ninja)
        subprocess.run(["ninja", "-C", build, "tests/test-a"], check=True, stdout=subprocess.DEVNULL)

    def mutants(self, *arguments):
        before = {path: path.read_text() for path in self.root.glob("src/a/*")}
        run = subprocess.run([self.root / "tests" / "mutants" / "run", "build", "--limit", "5", *arguments], cwd=self.root,
                             capture_output=True, text=True, timeout=500)
        self.assertEqual({path: path.read_text() for path in self.root.glob("src/a/*")}, before)
        return run

    def test_says_which_survive(self):
        run = self.mutants()
        self.assertEqual(run.returncode, 1, run.stderr)
        rows = {line.split()[0]: line for line in run.stdout.splitlines() if line}
        self.assertRegex(rows["FAILS"], r"caught by A\.Doubles$")
        self.assertRegex(rows["CRASHES"], r"caught by A\.Doubles \(ended with -\d+\)$")
        self.assertRegex(rows["HANGS"], r"caught by A\.Doubles \(ran for \d+ s\)$")
        self.assertRegex(rows["HEADER"], r"caught by A\.Doubles$")
        self.assertRegex(rows["SURVIVES"], r"SURVIVED: once is once$")
        self.assertRegex(rows["SAME"], r"equivalent: x is x$")
        self.assertRegex(rows["WRONG"], r"ERROR in the list: .*twice\.cc doesn't compile")
        self.assertIn("7 mutants: 4 caught, 1 equivalent, 2 survived or wrong; 66.7 %", run.stdout)

    def test_all_caught_is_success(self):
        run = self.mutants("--only", "FAILS SAME", "--rooms", "a")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("2 mutants: 1 caught, 1 equivalent, 0 survived or wrong; 100.0 %", run.stdout)
        self.assertIn("1/2", run.stderr)

    def test_what_fails_without_a_mutant_says_nothing_of_mutants(self):
        test = self.root / "src" / "a" / "a_test.cc"
        test.write_text(test.read_text().replace("calls(6) == 6", "calls(6) == 5"))
        subprocess.run(["ninja", "-C", self.root / "build", "tests/test-a"], check=True, stdout=subprocess.DEVNULL)
        run = self.mutants()
        self.assertEqual(run.returncode, 1)
        self.assertIn("test-a fails without any mutant: A.Doubles", run.stderr)

    def test_unknown_rooms_and_mutants_are_refused(self):
        self.assertIn("there is no list tests/mutants/b.txt", self.mutants("--rooms", "b").stderr)
        self.assertIn("no mutant is called NONE", self.mutants("--only", "NONE").stderr)


if __name__ == "__main__":
    unittest.main()
