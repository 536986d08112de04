"""The noise barrier as a compiler meets it, mechanisms as the sources and callgrind do."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BUILD, SOURCE, answer


class Entries(unittest.TestCase):
    """A mechanism is its own file and one line: nothing else in the sources knows one, or a parameter, by name."""

    def test_the_command_line_knows_no_mechanism_by_name(self):
        texts = {path.name: path.read_text() for path in (SOURCE / "src" / "cli").glob("mechanism*.*")}
        self.assertGreaterEqual(len(texts), 4)
        for m in answer("mechanism", "list")["mechanisms"]:
            for word in [m["name"], m["input"], *m["required"], *m["optional"]]:
                for name, text in texts.items():
                    if word not in ("value", "count", "labels", "relation"):  # words of the language of this house
                        self.assertNotIn(f'"{word}"', text, name)
                        self.assertNotIn(f'"--{word}', text, name)

    def test_each_entry_has_a_file_and_a_line(self):
        room = SOURCE / "src" / "mechanism"
        lines = re.findall(r"^  ENTRY\((\w+)\)", (room / "registry.cc").read_text(), re.M)
        names = [m["name"].replace("-", "_") for m in answer("mechanism", "list")["mechanisms"]]
        self.assertEqual(lines, names)
        for name in names:
            self.assertIn(f"Entry {name}_entry()", next(room.rglob(f"{name}_entry.cc")).read_text())

    def test_the_room_writes_no_json(self):
        for path in (SOURCE / "src" / "mechanism").rglob("*.[hc]*"):
            if not path.name.endswith("_test.cc"):
                self.assertNotRegex(path.read_text(), r"nlohmann|json_", path.name)

    def test_parameters_are_described(self):
        for m in answer("mechanism", "list")["mechanisms"]:
            self.assertEqual(sorted(m["required"] + m["optional"]), sorted(p["name"] for p in m["parameters"]))
            for parameter in m["parameters"]:
                self.assertTrue(parameter["help"])
                self.assertEqual(parameter["required"], parameter["name"] in m["required"])


class Barrier(unittest.TestCase):
    PROGRAM = SOURCE / "tests" / "exact" / "must_not_compile.cc"

    def compiles(self, case):
        done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", f"-I{BUILD / 'include'}", f"-DCASE={case}", str(self.PROGRAM)], capture_output=True, text=True)
        return done.returncode == 0, done.stderr

    def test_the_honest_program_compiles(self):
        fine, errors = self.compiles(0)
        self.assertTrue(fine, errors)

    def test_the_others_do_not(self):
        cases = sorted({int(case) for case in re.findall(r"CASE == (\d+)", self.PROGRAM.read_text())} - {0})
        self.assertGreaterEqual(len(cases), 14)
        for case in cases:
            fine, errors = self.compiles(case)
            self.assertFalse(fine, f"case {case} compiles")
            self.assertRegex(errors, r"Exact|Door|operator|bit_cast", f"case {case} fails for another reason")

    def test_only_mechanisms_have_the_door(self):
        shipped = [path for path in (SOURCE / "src").rglob("*.[hc]*") if not path.name.endswith("_test.cc") and "testing" not in path.parts]
        found = {path.relative_to(SOURCE / "src").parts[0] for path in shipped if "mechanism/door.h" in path.read_text()}
        self.assertEqual(found, {"mechanism"})


class Work(unittest.TestCase):
    """Instructions, counted by callgrind: the same for every private input and every draw."""

    def count(self, mechanism, kind, seed):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "callgrind.out"
            subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}", str(BUILD / "tests" / "mechanism-probe"),
                            mechanism, kind, str(seed)], check=True, capture_output=True)
            return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M).group(1))

    def check(self, mechanism):
        self.assertIsNotNone(shutil.which("valgrind"))
        counts = {self.count(mechanism, kind, seed) for kind, seed in [("flat", 1), ("spread", 2), ("one", 3), ("extreme", 4)]}
        self.assertEqual(len(counts), 1, counts)
        self.assertGreater(counts.pop(), 10000)

    def test_exponential(self):
        self.check("exponential")

    def test_permute_and_flip(self):
        self.check("permute-and-flip")

    def test_noisy_max(self):
        self.check("noisy-max")

    def test_histogram(self):
        self.check("histogram")

    def test_the_count_would_notice(self):
        self.assertNotEqual(self.count("early-exit", "flat", 1), self.count("early-exit", "flat", 2))


if __name__ == "__main__":
    unittest.main()
