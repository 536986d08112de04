#!/usr/bin/env python3
"""The end-to-end tests as ctest runs them, a line each: NAME TIER PROGRAM CASE.

An entry is one test method of a tests/*_test.py, so that entries are short and run beside each other. A class whose methods share a
costly beginning says `together = True` and is one entry as a whole. What takes minutes is marked with support.slow and stands in the
second tier (`make test-slow`). CMake asks for this list when it configures, and again whenever one of the programs has changed;
tests/entries_test.py compares it with what ctest was told.
"""
import importlib
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent


def cases(program):
    """The test cases in a program."""
    sys.path.insert(0, str(TESTS))
    module = importlib.import_module(program)

    def walk(suite):
        for part in suite:
            if isinstance(part, unittest.TestSuite):
                yield from walk(part)
            else:
                yield part
    return list(walk(unittest.defaultTestLoader.loadTestsFromModule(module)))


def entry(program, case):
    """(name, tier, program, what to run) of the entry that a case belongs to."""
    kind, method = type(case), getattr(case, case._testMethodName)
    slow = getattr(method, "slow", False) or getattr(kind, "slow", False)
    what = kind.__name__ if getattr(kind, "together", False) else f"{kind.__name__}.{case._testMethodName}"
    return f"{program}.{what}", "slow" if slow else "quick", program, what


def programs():
    return sorted(path.stem for path in TESTS.glob("*_test.py"))


def entries():
    """All of them, each once, in order."""
    return list(dict.fromkeys(entry(program, case) for program in programs() for case in cases(program)))


if __name__ == "__main__":
    for line in entries():
        print(*line)
