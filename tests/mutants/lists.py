"""The lists of mutants: tests/mutants/ROOM.txt. README.md there says what stands in them."""
import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
FIELDS = ("id", "file", "breaks", "tests", "equivalent")


class Wrong(Exception):
    """A list says something that isn't so; the message names the list, the line and the mutant."""


@dataclasses.dataclass
class Mutant:
    room: str
    where: str
    id: str = ""
    file: str = ""
    breaks: str = ""
    tests: str = ""
    equivalent: str = ""
    old: str = ""
    new: str = ""

    def program(self):
        """The room whose tests have to catch it."""
        return self.tests.split()[0] if self.tests else self.room

    def filter(self):
        """Which of them, for --gtest_filter."""
        words = self.tests.split()
        return f"{words[1] if len(words) > 1 else '*'}-*Slow*:*Search*"

    def stages(self, root=ROOT):
        """Filters for the suites in NAME_test.cc beside NAME.cc, which are likely to catch it, and for all others. The first may be None."""
        if len(self.tests.split()) > 1 or (self.tests and self.program() != self.room):
            return None, self.filter()
        beside = (root / self.file).with_name(f"{pathlib.Path(self.file).stem}_test.cc")
        suites = set(re.findall(r"^\w*TEST\w*\(\s*(\w+)", beside.read_text(), re.M)) if beside.is_file() else set()
        if not suites:
            return None, self.filter()
        own = ":".join(f"{suite}.*:*/{suite}.*" for suite in sorted(suites))
        return f"{own}-*Slow*:*Search*", f"{self.filter()}:{own}"

    def applied(self, text):
        """The text of its file with the change made. Space between two words doesn't count, so that lines may be broken elsewhere."""
        pattern = r"\s*".join(re.escape(token) for token in re.findall(r"\w+|\S", self.old))
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise Wrong(f"{self.where}: {self.file} has the text of {self.id} {len(found)} times instead of once: {self.old}")
        return text[:found[0].start()] + self.new + text[found[0].end():]


def parse(text, room, name):
    """The mutants of one list."""
    mutants = []
    for block in re.finditer(r"(?:^(?!#)\S.*\n?|^#.*\n?)+", text, re.M):
        lines = [line for line in block[0].splitlines() if not line.startswith("#")]
        if not lines:
            continue
        number = text[:block.start()].count("\n") + 1
        mutant = Mutant(room, f"{name}:{number}")
        old, new = [], []
        for line in lines:
            mark, _, rest = line.partition(" ")
            if mark == "-":
                old.append(rest)
            elif mark == "+":
                new.append(rest)
            elif mark[-1] == ":" and mark[:-1] in FIELDS:
                if getattr(mutant, mark[:-1]):
                    raise Wrong(f"{mutant.where}: {mark} stands there twice.")
                setattr(mutant, mark[:-1], rest.strip())
            else:
                raise Wrong(f"{mutant.where}: a line begins with one of {', '.join(f + ':' for f in FIELDS)} - and +, got: {line}")
        mutant.old, mutant.new = "\n".join(old), "\n".join(new)
        for field in ("id", "file", "breaks", "old"):
            if not getattr(mutant, field).strip():
                raise Wrong(f"{mutant.where}: {'a line that begins with -' if field == 'old' else field + ':'} is missing.")
        if "".join(mutant.old.split()) == "".join(mutant.new.split()):
            raise Wrong(f"{mutant.where}: {mutant.id} changes nothing.")
        mutants.append(mutant)
    return mutants


def read(folder=FOLDER):
    """All mutants of all lists."""
    mutants = [mutant for path in sorted(folder.glob("*.txt")) for mutant in parse(path.read_text(), path.stem, f"tests/mutants/{path.name}")]
    seen = {}
    for mutant in mutants:
        other = seen.setdefault(mutant.id, mutant)
        if other is not mutant:
            raise Wrong(f"{mutant.where}: {mutant.id} stands in {other.where} too.")
    return mutants


def problems(mutants, root=ROOT):
    """What is wrong with entries that can be read: files and texts that aren't there, rooms without tests."""
    found = []
    for mutant in mutants:
        path = root / mutant.file
        if not path.is_file():
            found.append(f"{mutant.where}: {mutant.id} is of {mutant.file}, which isn't there.")
            continue
        if not any((root / "src" / mutant.program()).rglob("*_test.cc")):
            found.append(f"{mutant.where}: {mutant.id} is for the tests of {mutant.program()}, which has none.")
        try:
            mutant.applied(path.read_text())
        except Wrong as wrong:
            found.append(str(wrong))
    return found
