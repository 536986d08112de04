"""What is installed: a separate CMake project finds the package, links it and runs; the headers are those of the stated list, each
compiles alone, and what they declare is what the library exports."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import header_examples_test as examples
from support import BUILD, SOURCE

sys.path.insert(0, str(SOURCE / "cmake"))
import public_headers  # noqa: E402

LIST = public_headers.listed(SOURCE)
ROOMS = sorted({pathlib.PurePath(header).parent.as_posix() for header, _ in LIST})


def run_in(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "installed"
        run_in(self.folder, "cmake", "--install", str(BUILD), "--prefix", str(self.prefix))
        self.library = next(self.prefix.rglob("libdiscreet.so"))

    def compiler(self):
        """As a consumer's: nothing but the installed headers and the system's."""
        return ["c++", "-std=c++20", "-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-result", f"-I{self.prefix / 'include'}"]


class Install(Installed):
    def test_another_project_can_use_it(self):
        run_in(self.folder, "cmake", "-G", "Ninja", "-S", str(SOURCE / "tests" / "consumer"), "-B", "consumer", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run_in(self.folder, "cmake", "--build", "consumer")
        int(run_in(self.folder, "consumer/consumer"))
        self.assertRegex(run_in(self.folder, self.prefix / "bin" / "discreet", "--version"), r"^discreet \d")
        # what asks about rows finds the helper beside the library, and the command beside itself; without it nothing is spent
        (self.folder / "visits.csv").write_text("who\n" + "".join(f"{i}\n" for i in range(100)))
        policy = self.folder / "policy.toml"
        policy.write_text('[policy]\nname = "p"\nunit = "person"\nbudget = { epsilon = 2 }\n[tables.visits]\nsource = "visits.csv"\nkey = "who"\n'
                          'max_rows_per_group = 1\ncolumns.who = { type = "integer" }\n')
        state = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        command = [self.prefix / "bin" / "discreet", "sql", "--policy", policy, "--epsilon", "0.5", "SELECT COUNT(*) FROM visits"]
        for asked in (["consumer/consumer", policy], command):
            done = subprocess.run(asked, cwd=self.folder, env=state, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        (helper,) = self.prefix.rglob("discreet-helper")
        self.assertEqual(helper.parent, self.library.parent / "discreet")
        helper.unlink()
        for asked, code in ((["consumer/consumer", policy], 4), (command, 1)):
            done = subprocess.run(asked, cwd=self.folder, env=state, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("the program discreet-helper isn't there or can't be run; nothing was reserved", done.stderr)

    def test_the_help_is_installed(self):
        for place, arguments in [("man/man1/discreet.1", ["--man"]), ("bash-completion/completions/discreet", ["--completion", "bash"]),
                                 ("zsh/site-functions/_discreet", ["--completion", "zsh"]), ("fish/vendor_completions.d/discreet.fish", ["--completion", "fish"])]:
            self.assertEqual((self.prefix / "share" / place).read_text(), run_in(self.folder, self.prefix / "bin" / "discreet", "help", *arguments))

    def test_nothing_else_is_shipped(self):
        # of the tests least of all: no seed can be set in what is installed
        headers = {path.relative_to(self.prefix / "include" / "discreet").as_posix() for path in self.prefix.rglob("*.h")}
        self.assertEqual(headers, {header for header, _ in LIST})
        shipped = [path.name for path in self.prefix.rglob("*") if "testing" in str(path) or path.name.endswith("_test.h")]
        self.assertEqual(shipped, [])
        libraries = {path.name for path in self.prefix.rglob("*.so*")}
        self.assertEqual({name for name in libraries if not name.startswith("libdiscreet.so")}, {"libduckdb.so"})

    def test_only_what_is_public_is_exported(self):
        public = public_headers.everything(SOURCE)
        found = public_headers.symbols(str(self.library))
        self.assertGreater(len(found), 300)
        for symbol in found.values():
            with self.subTest(symbol=symbol):
                self.assertTrue(public_headers.is_public(symbol, *public))
        hidden = public_headers.symbols(str(BUILD / "libdiscreet-all.so")).keys() - found.keys()
        self.assertGreater(len(hidden), len(found), "most of what it defines is its own business")
        for name in ["discreet::mechanism::laplace(", "discreet::ledger::Ledger::open(", "vtable for discreet::random::Generator",
                     "discreet::privacy::parse_event(", "discreet::channel::optimal("]:
            self.assertTrue(any(symbol.startswith(name) for symbol in found.values()), name)
        # of engines their interface is public
        for word in ["nlohmann", "fmt::", "discreet::sql::", "discreet::engine::duckdb::", "discreet::engine::postgres::", "discreet::engine::trino::", "discreet::engine::pushdown::",
                     "discreet::engine::sample::", "discreet::bound::", "Ledger::Parts"]:
            self.assertFalse([symbol for symbol in found.values() if symbol.startswith(word) or f"::{word}" in symbol.split("(")[0]], word)


class List(unittest.TestCase):
    def test_internal_headers_are_those_that_public_ones_need(self):
        needed, todo = set(), [header for header, internal in LIST if not internal]
        while todo:
            for header in public_headers.included(SOURCE, todo.pop()):
                if header not in needed:
                    needed.add(header)
                    todo.append(header)
        self.assertLessEqual(needed, {header for header, _ in LIST}, "a public header includes one that isn't installed")
        self.assertLessEqual({header for header, internal in LIST if internal}, needed, "an internal header that nothing needs")
        self.assertEqual(len(LIST), len({header for header, _ in LIST}))

    def test_what_a_header_declares(self):
        found = public_headers.declared(public_headers.blank("""
            // namespace nowhere {
            #define X \\
              y();
            namespace discreet::room {
            struct Later; class Door;
            enum class Kind { kOne, kTwo };
            struct Plain { int x = 0; std::optional<Rational> rho = {}; struct Inside { int z; }; };
            class Thing final : public Base { public: Thing(int x) : x_{x} {} struct State; void f() const;
              friend Thing operator-(const Thing& a); friend class Other; friend bool same(const Thing& a) { return true; } };
            Result<std::vector<int>>
            make(const Plain& plain, std::vector<int> more = {}, std::function<int(int)> f = nullptr);
            extern const std::string kName;
            inline int twice(int x) { return 2 * x; }
            template <class T> T same(T x);
            constexpr int kFour = 4;
            using Clock = std::function<std::int64_t()>;
            bool operator==(const Thing& a, const Thing& b);
            }  // namespace
        """))
        room = "discreet::room::"
        self.assertEqual(found[0], {room + "make", room + "kName", room + "operator==", room + "operator-"})
        self.assertEqual(found[1], {room + "Kind", room + "Plain", room + "Thing"})
        self.assertEqual(found[2], {room + "Later", room + "Door", room + "Thing::State"})
        for symbol, public in [("make(discreet::room::Plain const&, int)", True), ("make_up(int)", False), ("Thing::f() const", True), ("kName[abi:cxx11]", True),
                               ("Thing::State::g()", False), ("Door::open()", False), ("Things::f()", False), ("operator==(int, int)", True), ("Thing::~Thing()", True)]:
            self.assertEqual(public_headers.is_public(room + symbol, *found), public, symbol)
        self.assertTrue(public_headers.is_public(f"vtable for {room}Thing", *found))
        self.assertFalse(public_headers.is_public(f"vtable for {room}Door", *found))


class Headers(Installed):
    # test_ROOM_alone and test_ROOM_links are added below.

    def check_alone(self, room):
        """Each public header by itself."""
        def errors(header):
            done = subprocess.run([*self.compiler(), "-fsyntax-only", "-x", "c++", "-"], input=f"#include <discreet/{header}>\n", capture_output=True, text=True)
            return "" if done.returncode == 0 else f"{header}: {done.stderr}"
        headers = [header for header, internal in LIST if not internal and pathlib.PurePath(header).parent.as_posix() == room]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertEqual([error for error in pool.map(errors, headers) if error], [])

    def check_links(self, room):
        """The examples of a room's public headers find all they call in the library."""
        headers = {pathlib.PurePath(header).name: (SOURCE / "src" / header).read_text() for header, internal in LIST
                   if not internal and pathlib.PurePath(header).parent.as_posix() == room}
        shown = {name: text for name, text in headers.items() if examples.example(text)}
        source = self.folder / "examples.cc"
        source.write_text(examples.program(room, shown) + "int main() {}\n")
        # without optimisation nothing is dropped, so every call must be found
        run_in(self.folder, *self.compiler(), "-O0", source, "-o", "examples", self.library, f"-Wl,-rpath-link,{self.library.parent}", "-lgmpxx", "-lgmp")


for ROOM in ROOMS:
    NAME = re.sub(r"\W", "_", ROOM)
    setattr(Headers, f"test_{NAME}_alone", lambda self, room=ROOM: self.check_alone(room))
    setattr(Headers, f"test_{NAME}_links", lambda self, room=ROOM: self.check_links(room))

if __name__ == "__main__":
    unittest.main()
