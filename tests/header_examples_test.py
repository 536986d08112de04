"""The examples that headers open with are compiled.

An example is a paragraph of the opening comment that is indented by three spaces (formulas stand further in). It is compiled
as the body of a function in the header's own room, with that header and whatever it includes itself.
"""
import json
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BUILD, SOURCE

HEADERS = sorted(path for path in (SOURCE / "src").rglob("*.h") if "testing" not in path.parts)


def opening(text):
    """The lines of a header's opening comment, without their slashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:])
    return lines


def example(text):
    """The example in a header, as (line number, line of code)s; empty if it has none."""
    code, paragraph = [], []
    for number, line in enumerate(opening(text) + [""], 1):
        if line.strip():
            paragraph.append((number, line))
            continue
        if paragraph and re.match(r"   \S", paragraph[0][1]) and all(line.startswith("   ") for _, line in paragraph):
            code += [(number, line[3:]) for number, line in paragraph]
        paragraph = []
    return code


def program(room, examples):
    """One translation unit with the examples of a room: {header: text}."""
    includes, functions = [f'#include "discreet/base/error.h"'], []
    for index, (header, text) in enumerate(examples.items()):
        includes.append(f'#include "discreet/{room}/{header}"')
        body = []
        for number, line in example(text):
            if line.startswith("#include"):
                includes.append(line)
            else:
                body += [f'#line {number} "src/{room}/{header}"', line]
        functions += [f"discreet::Status example_{index}() {{", *body, "return {};", "}"]
    room = "discreet" if room == "base" else "discreet::" + room.replace("/", "::")
    return "\n".join([*includes, f"namespace {room} {{", *functions, "}", ""])


def errors(text):
    """What the compiler says against this text, with the library's own flags."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    library = next(entry for entry in entries if re.fullmatch(rf"{SOURCE}/src/base/\w+(?<!_test)\.cc", entry["file"]))
    flags = shlex.split(library["command"])
    flags = [flag for flag in flags[: flags.index("-o")] if not flag.startswith("-O")]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "examples.cc"
        source.write_text(text)
        # An example may compute something just to show it.
        done = subprocess.run([*flags, "-Wno-unused", "-Wno-unused-result", "-fsyntax-only", "-fmax-errors=20", source],
                              cwd=folder, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ""


def rooms():
    """The examples of each room or folder in one: {"engine": {header: text}}."""
    found = {}
    for path in HEADERS:
        text = path.read_text()
        if example(text):
            found.setdefault(str(path.parent.relative_to(SOURCE / "src")), {})[path.name] = text
    return found


class HeaderExamples(unittest.TestCase):
    # test_examples_of_ROOM compiles those of a room; they are added below.

    def test_there_are_many(self):
        self.assertGreater(sum(map(len, rooms().values())), 40)
        for room in rooms():
            self.assertTrue(hasattr(self, f"test_examples_of_{room.replace('/', '_')}"))

    def test_code_stands_in_examples(self):
        for path in HEADERS:
            text = path.read_text()
            covered = {number for number, _ in example(text)}
            for number, line in enumerate(opening(text), 1):
                if number not in covered and re.match(r"  +(auto|const|std::\w+|for \(|#include|[A-Z]\w+ \w+ =)", line):
                    self.fail(f"{path}:{number}: looks like code outside of an example")

    def test_bad_examples_are_caught(self):
        def verdict(code):
            text = "// Prose.\n//\n" + "".join(f"//   {line}\n" for line in code.splitlines()) + "//\n// Prose.\n#pragma once\n"
            self.assertTrue(example(text))
            return errors(program("base", {"number.h": text}))

        self.assertEqual(verdict('#include <string>\nstd::string one = to_decimal(Rational(1));'), "")
        self.assertIn("src/base/number.h:3", verdict("Rational third = Rationl(1, 3);"))
        self.assertIn("src/base/number.h:4", verdict("Rational third(1, 3);\nthird.no_such_member();"))
        self.assertNotEqual(verdict("parse_number(…);"), "")
        self.assertNotEqual(verdict("Rational third(1, 3)"), "")

    def test_what_is_an_example(self):
        self.assertEqual(example("// Prose\n//   code;\n// prose.\n#pragma once\n//\n//   later;\n"), [])
        self.assertEqual(example("// Prose:\n//\n//     a formula\n#pragma once\n"), [])
        self.assertEqual(example("// Prose:\n//\n//   one;\n//\n//   two {\n//     three }\n#pragma once\n"),
                         [(3, "one;"), (5, "two {"), (6, "  three }")])


for ROOM, EXAMPLES in rooms().items():
    setattr(HeaderExamples, f"test_examples_of_{ROOM.replace('/', '_')}",
            lambda self, room=ROOM, examples=EXAMPLES: self.assertEqual(errors(program(room, examples)), ""))

if __name__ == "__main__":
    unittest.main()
