"""What ctest runs is everything there is: no test method, no file of SQL cases is left out, and none is run twice."""
import json
import os
import re
import subprocess
import sys
import unittest

import entries
from support import BUILD, SOURCE


def told():
    """What ctest was told, {name: (labels, command)}, but for the unit tests."""
    listing = subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    found = {}
    for test in json.loads(listing)["tests"]:
        labels = [label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]]
        found[test["name"]] = (labels, test.get("command", []))
    return found


class Entries(unittest.TestCase):
    def test_every_case_is_in_exactly_one_entry(self):
        known = told()
        for program in entries.programs():
            cases = entries.cases(program)
            self.assertGreater(len(cases), 0, program)
            for case in cases:
                name, tier, _, what = entries.entry(program, case)
                with self.subTest(case=case.id()):
                    self.assertIn(name, known, "cmake has not been run since this test was written")
                    self.assertEqual(known[name][1][-1], what)
                    self.assertEqual(known[name][0], ["slow-end-to-end" if tier == "slow" else "end-to-end"])
        programs = [name for name in known if re.match(r"\w+_test\.", name)]
        self.assertEqual(sorted(programs), sorted(name for name, *_ in entries.entries()), "ctest was told of tests that are no more")

    def test_every_sql_case_is_read(self):
        written = sum(len(re.findall(r"^(?:answer|refuse)\b", path.read_text(), re.M)) for path in (SOURCE / "tests" / "sql").glob("*.test"))
        self.assertGreater(written, 300)
        self.assertEqual(len(entries.cases("sql_test")), written)

    def test_a_fresh_tree_can_be_configured(self):
        """CMake asks for the list before anything is built."""
        listed = subprocess.run([sys.executable, str(SOURCE / "tests" / "entries.py")], capture_output=True, text=True, env={**os.environ, "DISCREET": str(BUILD / "not-built"), "BUILD": str(BUILD / "nowhere")})
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(listed.stdout.splitlines(), [" ".join(one) for one in entries.entries()])

    def test_every_tier_has_its_tests(self):
        labels = {label for found, _ in told().values() for label in found}
        self.assertEqual(labels, {"unit", "end-to-end", "slow-unit", "slow-end-to-end"} & labels)
        self.assertLessEqual({"unit", "end-to-end"}, labels)
        self.assertTrue(any(label.startswith("slow") for label in labels), "make test-slow has nothing to run")


if __name__ == "__main__":
    unittest.main()
