"""Every example in the documentation is run.

In README.md, ARCHITECTURE.md and docs/*.md, a ```console block holds commands after "$ " and what they print below (not compared:
noise differs from run to run). A block marked ```console exact is compared to the letter. A command that must fail says so in a
comment: "# exit 2". Blocks of one page run in order in one empty folder, beside a copy of examples/; a page that needs files makes
them in its blocks. ```cpp blocks marked with a file name (```cpp examples/first.cc) must be that file's text. Links between pages
must lead somewhere. Numbers in docs/testing.md are at least true, and not far behind (tests/count).
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import DISCREET, SOURCE

PAGES = [SOURCE / "README.md", SOURCE / "ARCHITECTURE.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]


def blocks(text):
    """(info line, content) of every fenced block."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S)


def commands(content):
    """(command, expected exit code, expected output) of a console block; a command goes on while its lines end in a backslash."""
    found = []
    for line in content.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1].append(line)
    for command, output in found:
        code = re.search(r"# exit (\d+)\s*$", command)
        yield command, int(code.group(1)) if code else 0, "\n".join(output)


class Documentation(unittest.TestCase):
    def test_examples_run(self):
        ran = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as folder:
                home = pathlib.Path(folder) / "home"
                work = pathlib.Path(folder) / "work"
                home.mkdir()
                shutil.copytree(SOURCE / "examples", work / "examples")
                environment = {**os.environ, "PATH": f"{pathlib.Path(DISCREET).parent}:{os.environ['PATH']}", "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "NO_COLOR": "1"}
                for info, content in blocks(page.read_text()):
                    if not info.startswith("console"):
                        continue
                    for command, code, output in commands(content):
                        with self.subTest(page=page.name, command=command):
                            done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
                            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                            if "exact" in info:
                                self.assertEqual((done.stdout + done.stderr).rstrip("\n"), output.rstrip("\n"))
                            ran += 1
        self.assertGreater(ran, 3)

    def test_quoted_files_are_the_files(self):
        for page in PAGES:
            for info, content in blocks(page.read_text()):
                if match := re.match(r"(?:cpp|toml|sql) (\S+)$", info):
                    with self.subTest(page=page.name, file=match.group(1)):
                        self.assertEqual((SOURCE / match.group(1)).read_text(), content)

    def test_the_numbers_of_the_testing_page_are_true(self):
        loader = importlib.machinery.SourceFileLoader("count", str(SOURCE / "tests" / "count"))
        count = importlib.util.module_from_spec(importlib.util.spec_from_loader("count", loader))
        loader.exec_module(count)
        found, written = count.counts(), count.written()
        self.assertGreaterEqual(len(written), 12)
        for name, number in written.items():
            with self.subTest(name=name):
                self.assertLessEqual(number, found[name], "tests/count --write")
                self.assertGreaterEqual(number, 0.9 * found[name], "tests/count --write")

    def test_the_table_of_honesty_has_the_lines_that_are_measured(self):
        sys.path.insert(0, str(SOURCE / "bench" / "honesty"))
        import verdict
        page = (SOURCE / "docs" / "accuracy.md").read_text()
        written = re.search(r"<!-- honesty[^\n]*\n(.*?)\n<!-- /honesty -->", page, re.S).group(1).splitlines()
        self.assertEqual([line.split(" | ")[0] for line in verdict.markdown(verdict.lines([])).splitlines()], [line.split(" | ")[0] for line in written])

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                if "://" not in target:
                    with self.subTest(page=page.name, link=target):
                        self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
