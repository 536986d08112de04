"""discreet help, the manual page and the completions: all commands and options are in them, and shells can read them."""
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import discreet


def helped(*path):
    done = discreet(*path, "--help")
    assert done.returncode == 0, done.stderr
    return done.stdout


def verbs_in(text):
    """The commands that a help lists."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.M)
    return re.findall(r"^  ([a-z][a-z-]*)", listed.group(1), re.M) if listed else []


def options_in(text):
    return set(re.findall(r"^  (?:-\w,)?(--[a-z][a-z-]*)", text, re.M))


@functools.cache  # not when the file is loaded: CMake lists its tests before there is a command to ask
def commands():
    """Every command, found by asking for help: {("budget", "show"): its help, …}."""
    found, todo = {}, [()]
    while todo:
        path = todo.pop()
        found[path] = helped(*path)
        todo += [(*path, verb) for verb in verbs_in(found[path])]
    return found


def made(*arguments):
    done = discreet("help", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Help(unittest.TestCase):
    def test_there_are_commands(self):
        self.assertGreater(len(commands()), 40)
        for path in [("sql",), ("policy", "init"), ("budget", "history"), ("mechanism", "laplace"), ("channel", "make", "geometric"), ("help",)]:
            self.assertIn(path, commands())
        self.assertLessEqual({"--policy", "--or-ask", "--plot", "--file"}, options_in(commands()["sql",]))

    def test_help_says_what_the_option_says(self):
        for path in [(), ("sql",), ("policy",), ("policy", "init"), ("channel", "make", "geometric"), ("help",)]:
            self.assertEqual(commands()[path], made(*path), path)

    def test_mistakes(self):
        for arguments, message in [(["polcy"], "did you mean 'policy'?"), (["policy", "chek"], "did you mean 'check'?"), (["sql", "more"], "discreet sql has no command 'more'"),
                                   (["--completion", "tcsh"], "accepted is bash, zsh or fish"), (["--man", "sql"], "--man"), (["--man", "--completion", "bash"], "--man")]:
            done = discreet("help", *arguments)
            self.assertEqual((2, ""), (done.returncode, done.stdout), arguments)
            self.assertIn(message, done.stderr)

    def test_the_manual_page_has_everything(self):
        page = made("--man")
        self.assertTrue(page.isascii())
        sections = dict(re.findall(r'^\.SS "([^"]*)"\n(.*?)(?=^\.S[SH] |\Z)', page.replace("\\-", "-"), re.M | re.S))
        for path, text in commands().items():
            section = sections[" ".join(["discreet", *path])] if path else page.replace("\\-", "-")
            for option in options_in(text):
                self.assertIn(f"\\fB{option}\\fR", section, path)
        self.assertEqual(len(commands()) - 1, len(sections))

    def test_the_manual_page_renders(self):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "discreet.1"
            page.write_text(made("--man"))
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", page], capture_output=True, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            for words in ["discreet sql --policy VALUE [OPTIONS] [QUERY]", "the budget's ε", "--budget-epsilon VALUE", "'poisson(0.01, gaussian(sigma=1.1))*10000'", "ENVIRONMENT"]:
                self.assertIn(words, done.stdout)
            if shutil.which("man"):
                shown = subprocess.run(["man", "-l", page], capture_output=True, text=True, env={"MANPAGER": "cat", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
                self.assertEqual(0, shown.returncode, shown.stderr)
                self.assertIn("discreet policy init", shown.stdout)


class Completion(unittest.TestCase):
    def script(self, shell):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / f"discreet.{shell}"
        path.write_text(made("--completion", shell))
        return path

    def test_scripts_parse(self):
        for shell in ["bash", "zsh", "fish"]:
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.script(shell)], capture_output=True, text=True)
                self.assertEqual((0, ""), (done.returncode, done.stderr), shell)

    def test_scripts_have_everything(self):
        for shell in ["bash", "zsh", "fish"]:
            text = self.script(shell).read_text()
            for path, help_text in commands().items():
                self.assertIn(" ".join(["discreet", *path]), text)
                for option in options_in(help_text):
                    self.assertIn(f"-l {option[2:]} " if shell == "fish" else option, text)

    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _discreet; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", self.script("bash"), *words], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return set(done.stdout.split())

    def test_bash_completes(self):
        self.assertEqual(set(verbs_in(commands()[()])), self.complete("discreet", ""))
        self.assertEqual({"policy"}, self.complete("discreet", "po"))
        self.assertEqual({"init", "check"}, self.complete("discreet", "policy", ""))
        self.assertEqual({"init", "check"}, self.complete("discreet", "help", "policy", ""))
        self.assertEqual({"--completion", "--man", "--help", "-h"}, self.complete("discreet", "help", "-"))
        self.assertEqual({"--budget-epsilon", "--budget-delta"}, self.complete("discreet", "policy", "init", "x.csv", "--key", "a", "--budget"))
        self.assertEqual(options_in(commands()["sql",]), self.complete("discreet", "sql", "--policy", "budget", "--"))
        # a value is not a command, and names of files are the shell's
        self.assertEqual(set(), self.complete("discreet", "sql", "--policy", "b"))


if __name__ == "__main__":
    unittest.main()
