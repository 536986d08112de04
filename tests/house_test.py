"""The house is as ARCHITECTURE.md says: folders are on the map, includes follow the arrows, exit codes are documented."""
import re
import subprocess
import unittest

from support import SOURCE

MAP = (SOURCE / "ARCHITECTURE.md").read_text()


def rooms():
    """The rooms of ARCHITECTURE.md's table and what each may call: {"random": {"base"}, …}."""
    table = re.search(r"<!-- rooms -->\n(.*?)<!-- /rooms -->", MAP, re.S).group(1)
    found = {}
    for name, calls in re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", table, re.M):
        found[name] = set(re.findall(r"`(\w+)`", calls))
    return found


def violations(room, text, allowed):
    return [other for other in re.findall(r'#include [<"]discreet/(\w+)/', text) if other != room and other not in allowed]


class House(unittest.TestCase):
    def test_every_room_is_on_the_map_and_every_room_on_the_map_exists(self):
        folders = {path.name for path in (SOURCE / "src").iterdir() if path.is_dir()}
        self.assertEqual(set(rooms()), folders)

    def test_every_folder_is_on_the_map(self):
        tracked = subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True)
        if tracked.returncode != 0:  # an unpacked archive has no git
            names = {path.name for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith((".git", ".deps", "build"))}
        else:
            names = {line.split("/")[0] for line in tracked.stdout.splitlines() if "/" in line}
        on_the_map = set(re.findall(r"^- `([\w.]+)/`", MAP, re.M))
        self.assertEqual(on_the_map, names)

    def test_includes_follow_the_arrows(self):
        allowed = rooms()
        self.assertGreater(len(allowed), 3)
        reach = {}

        def closure(room):  # an arrow to a room is an arrow to what that room may call
            if room not in reach:
                reach[room] = set()
                for other in allowed[room]:
                    reach[room] |= {other} | closure(other)
            return reach[room]

        for path in sorted((SOURCE / "src").rglob("*.[hc]*")):
            room = path.relative_to(SOURCE / "src").parts[0]
            may = closure(room) | {"base"}
            if path.name.endswith("_test.cc") or "testing" in path.parts:
                continue  # a test may compare with any room
            with self.subTest(file=str(path.relative_to(SOURCE))):
                self.assertEqual(violations(room, path.read_text(), may), [])

    def test_the_check_can_fail(self):
        self.assertEqual(violations("base", '#include "discreet/random/source.h"\n', set()), ["random"])

    def test_files_that_the_documentation_names_exist(self):
        pages = [*SOURCE.glob("*.md"), *(SOURCE / "docs").glob("*.md")]
        named = {name for page in pages for name in re.findall(r"\bsrc/[a-z_]+/[a-z_/]+\.(?:h|cc)\b", page.read_text())}
        self.assertGreater(len(named), 20)
        self.assertEqual([name for name in sorted(named) if not (SOURCE / name).exists()], [])

    def test_no_arrow_points_back(self):
        allowed = rooms()

        def walk(room, path):
            self.assertNotIn(room, path, f"a circle: {path + [room]}")
            for other in allowed[room]:
                walk(other, path + [room])
        for room in allowed:
            walk(room, [])

    def test_one_maker_of_databases(self):
        # DuckDB reaches files, loads extensions and changes its settings until it is told not to: one place tells it, and fails closed.
        opens = re.compile(r"\bduckdb_(?:open\w*|create_config|set_config|get_or_create_from_cache)\b")
        found = {str(path.relative_to(SOURCE / "src")) for path in (SOURCE / "src").rglob("*.[hc]*")
                 if not path.name.endswith("_test.cc") and "testing" not in path.parts and opens.search(path.read_text())}
        self.assertEqual(found, {"engine/duckdb/hardened.cc"})
        self.assertTrue(opens.search("  duckdb_open(nullptr, &database);"))  # as it once stood in five places
        outside = [str(path) for path in (SOURCE / "src").rglob("*.[hc]*") if "#include <duckdb.h>" in path.read_text()
                   and path.relative_to(SOURCE / "src").parts[0] != "engine" and not path.name.endswith("_test.cc") and "testing" not in path.parts]
        self.assertEqual(outside, [])

    def test_no_test_seed_in_a_shipped_path(self):
        for path in (SOURCE / "src").rglob("*.[hc]*"):
            if path.name.endswith("_test.cc") or "testing" in path.parts:
                continue
            self.assertNotRegex(path.read_text(), r"#include .*/testing/", path)
            self.assertNotRegex(path.read_text(), r"\bmt19937|\bstd::rand\b|\bsrand\b|random_device", path)


if __name__ == "__main__":
    unittest.main()
