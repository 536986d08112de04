"""What tests of `discreet local` share: clients, collectors, a folder."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from support import DISCREET, answer

FLAT = ["flat", "--epsilon", "1", "--domain", "4"]


def in_order(protocol):
    """The arguments that make a protocol with few values."""
    name, task = protocol["name"], protocol["task"]
    arguments = [name] if name == "coins" else [name, "--epsilon", "2"]
    return arguments if task == "mean" else [*arguments, "--domain", "8"]


def protocols():
    return answer("local", "list")["protocols"]


def feed(arguments, data, **options):
    return subprocess.run([DISCREET, "local", *arguments], input=data, capture_output=True, timeout=120, **options)


def perturbed(arguments, lines):
    done = feed(["perturb", *arguments], "".join(f"{line}\n" for line in lines).encode())
    assert done.returncode == 0, done.stderr
    return done.stdout


def estimated(arguments, data):
    done = feed(["estimate", *arguments, "--json"], data)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def refused(self, done, *texts, code=2):
        message = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        for text in texts:
            self.assertIn(text, message)
        return message
