"""What the end-to-end tests share: the command under test and the source tree."""
import json
import os
import pathlib
import pty
import subprocess

DISCREET = os.environ["DISCREET"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
BUILD = pathlib.Path(os.environ["BUILD"])


def slow(test):
    """Marks a test method or class that takes minutes: it is run by `make test-slow`, and something smaller by `make test`."""
    test.slow = True
    return test


def pseudo_terminal(test):
    """Both ends of a terminal. A machine may have none (no /dev/pts, as in a bare chroot): then the test says so."""
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(f"there are no pseudo-terminals here (no /dev/pts): {error}")


def discreet(*arguments, **options):
    """Runs the command; the result has returncode, stdout and stderr."""
    return subprocess.run([DISCREET, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def answer(*arguments, **options):
    """Runs the command with --json and returns the one object it prints."""
    done = discreet(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
