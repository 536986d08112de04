"""discreet mechanism sample-aggregate, as a user meets it: programs and queries on blocks of a file, and programs that misbehave."""
import fcntl
import json
import os
import pathlib
import pty
import random
import signal
import subprocess
import tempfile
import termios
import time
import unittest

from support import DISCREET, answer, discreet

SECRET = "patient-4711-has-it"


def quiet(done):
    """What was said on standard error, but for the note of what this system can't keep a program from: it isn't of the data."""
    return "".join(line for line in done.stderr.splitlines(True) if not line.startswith("discreet: note: this system doesn't let"))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        draw = random.Random(1)
        lines = ["id,ward,minutes,note"]
        for unit in range(3000):
            for _ in range(draw.randint(1, 3)):
                lines.append(f'{unit},{draw.choice("AAAABC")},{draw.randint(10, 50)},"{SECRET}, ""quoted"""')
        self.data = self.place / "visits.csv"
        self.data.write_text("\n".join(lines) + "\n")

    def program(self, text, first="#!/usr/bin/env python3"):
        path = self.place / f"program{len(list(self.place.iterdir()))}"
        path.write_text(f"{first}\n{text}\n")
        path.chmod(0o755)
        return path

    # With ε = 8 what all blocks agree on is withheld once in 10^20 times.
    def arguments(self, *more, blocks=40, epsilon=8):
        return ["mechanism", "sample-aggregate", "--data", self.data, "--unit", "id", "--blocks", blocks, "--epsilon", epsilon, *more]

    def mode(self, program, *more, **options):
        return answer(*self.arguments("--program", program, "--delta", "1e-3", "--default", "failed", *more, **options))

    MOST = """
import collections, csv, sys
print(collections.Counter(row["ward"] for row in csv.DictReader(sys.stdin)).most_common(1)[0][0])"""


class Released(Case):
    def test_the_command_as_it_is_documented(self):
        script = self.program(self.MOST)
        done = discreet("mechanism", "sample-aggregate", "--program", f"./{script.name}", "--data", "visits.csv", "--unit", "id", "--blocks", "100", "--aggregate", "mode",
                        "--epsilon", "1", "--delta", "1e-6", "--release", "--json", cwd=self.place)
        self.assertEqual((done.returncode, quiet(done)), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual(found.pop("value"), "A")
        self.assertEqual(found.pop("guarantee"), {"epsilon": 1, "delta": 1e-6, "relation": "add-remove"})
        self.assertEqual(found.pop("blocks"), 100)
        self.assertEqual(set(found.pop("isolation")), {"network", "files", "calls", "pipes"})
        self.assertEqual(found, {"interval": None})

    def test_queries(self):
        found = answer(*self.arguments("--query", "SELECT mode(ward) FROM data", "--delta", "1e-3"))
        self.assertEqual((found["value"], found["blocks"], "isolation" in found), ("A", 40, False))
        for aggregate in ["median", "smooth-median", "mean"]:
            found = answer(*self.arguments("--query", "SELECT avg(minutes) FROM data", "--aggregate", aggregate, "--range", "0,100", blocks=200))
            self.assertTrue(27 < found["value"] < 33, found)
            self.assertEqual(found["guarantee"], {"epsilon": 8, "delta": 0, "relation": "add-remove"})

    def test_text(self):
        done = discreet(*self.arguments("--query", "SELECT mode(ward) FROM data", "--delta", "1e-3"))
        self.assertEqual(done.stdout, "A\ncost: ε = 8, δ = 0.001, add-remove\n")

    def test_what_blocks_disagree_on_is_withheld(self):
        found = answer(*self.arguments("--query", "SELECT min(id) FROM data", "--delta", "1e-9"))
        self.assertIsNone(found["value"])
        self.assertEqual(discreet(*self.arguments("--query", "SELECT min(id) FROM data", "--delta", "1e-9")).stdout.splitlines()[0], "(nothing)")

    def test_an_empty_answer_is_seen(self):
        for query in ["SELECT ''", "SELECT NULL", "SELECT id FROM data WHERE false"]:
            given = self.arguments("--query", query, "--delta", "1e-3")
            self.assertEqual(discreet(*given).stdout.splitlines()[0], "(empty)")
            self.assertEqual(answer(*given)["value"], "")

    def test_a_bar_on_a_terminal_alone(self):
        words = list(map(str, self.arguments("--program", self.program("sleep 0.2\necho x", "#!/bin/bash"), "--delta", "1e-3", "--jobs", 2)))
        master, slave = pty.openpty()
        running = subprocess.Popen([DISCREET, *words], stdout=subprocess.PIPE, stderr=slave, text=True, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        seen = b""
        try:
            while part := os.read(master, 4096):
                seen += part
        except OSError:  # the other end is closed
            pass
        os.close(master)
        self.assertEqual(running.communicate(timeout=60)[0].splitlines()[0], "x")
        self.assertIn(b"asking blocks", seen)
        self.assertIn(b"of 40", seen)
        self.assertEqual(quiet(discreet(*words)), "")

    def test_answers_of_ones_own(self):
        found = answer("mechanism", "sample-aggregate", "--answers", ",".join(["x"] * 60), "--epsilon", 3, "--delta", "1e-6")
        self.assertEqual(found["value"], "x")
        found = answer("mechanism", "sample-aggregate", "--answers", ",".join(["7"] * 60), "--aggregate", "median", "--range", "0,10", "--steps", 10, "--epsilon", 3)
        self.assertEqual(found["value"], 7)


class Public(Case):
    """What is said before any row is read."""

    def test_cost(self):
        cost = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 100, "--block-accuracy", 0.9)
        self.assertEqual((cost["epsilon"], cost["delta"], cost["threshold"], cost["blocks"]), (1, 1e-6, 15, 100))
        self.assertEqual(cost["blocks_needed"], 47)
        self.assertGreater(cost["probability"], 0.99999)
        at = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 47, "--block-accuracy", 0.9)["probability"]
        self.assertGreaterEqual(at, 0.95)
        below = answer("mechanism", "sample-aggregate", "--cost", "--epsilon", 1, "--delta", "1e-6", "--blocks", 46, "--block-accuracy", 0.9)["probability"]
        self.assertLess(below, 0.95)

    def test_accuracy(self):
        found = answer("mechanism", "sample-aggregate", "--accuracy", 0.05, "--epsilon", 1, "--delta", "1e-6", "--blocks", 100)
        self.assertEqual((found["bound"], found["agreeing_blocks"]), (17, 67))

    def test_too_few_blocks_are_refused_with_the_number_that_is_needed(self):
        done = discreet(*self.arguments("--query", "SELECT 1", "--delta", "1e-6", blocks=28, epsilon=1))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--blocks: found 28; accepted is 29 or more", done.stderr)
        self.assertIn("try: discreet mechanism sample-aggregate", done.stderr)

    def test_too_few_answers_ask_for_more_of_them(self):
        for action in ["--release", "--cost", "--pmf"]:
            done = discreet("mechanism", "sample-aggregate", "--answers", "a,a,a,a,b", "--epsilon", 1, "--delta", "1e-6", action)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--answers: found 5; accepted is 29 or more", done.stderr)
            self.assertIn("have more blocks answer", done.stderr)
            self.assertNotIn("try:", done.stderr)

    def test_what_is_wrong_is_said_at_once(self):
        marked = self.place / "was-run"
        script = self.program(f"open({str(marked)!r}, 'w')")
        plain = self.place / "plain"
        plain.write_text("echo\n")
        empty = self.place / "empty.csv"
        empty.write_text("")
        for code, said, more in [
            (2, "--unit: found 'ids'; accepted is a column of", ["--query", "SELECT 1", "--unit", "ids"]),
            (2, "did you mean 'id'?", ["--query", "SELECT 1", "--unit", "ids"]),
            (1, "can't be read", ["--query", "SELECT 1", "--data", self.place / "visit.csv"]),
            (1, "can't be read", ["--query", "SELECT 1", "--data", self.place]),
            (1, "no such file", ["--query", "SELECT 1", "--data", self.place / "visit.csv"]),
            (1, "the file is empty", ["--query", "SELECT 1", "--data", empty]),
            (2, "--program: found", ["--program", "/nowhere/script"]),
            (2, "one program, without arguments", ["--program", "python3 mean.py"]),
            (2, "chmod +x", ["--program", plain]),
            (2, "could not be started", ["--program", self.program("", "#!/no/such/interpreter")]),
            (2, "not found in FROM clause", ["--query", "SELECT wart FROM data"]),
            (2, "--query: found Parser Error", ["--query", "SELEC 1"]),
            (2, "several statements", ["--query", "SELECT 1; SELECT 2"]),
            (2, "both --program and --query", ["--query", "SELECT 1", "--program", script]),
            (2, "neither --program nor --query", []),
            (2, "--aggregate: found 'medain'; accepted is mode, median, smooth-median or mean", ["--query", "SELECT 1", "--aggregate", "medain"]),
            (2, "--range: found with --aggregate mode", ["--query", "SELECT 1", "--range", "0,1"]),
            (2, "--seconds: found '0'", ["--query", "SELECT 1", "--seconds", "0"]),
            (2, "--memory: found '1'", ["--query", "SELECT 1", "--memory", "1"]),
            (2, "--jobs: found 'many'", ["--query", "SELECT 1", "--jobs", "many"]),
        ]:
            with self.subTest(said=said):
                base = [str(word) for word in self.arguments("--delta", "1e-3")]
                for option in more[::2]:
                    if option in base:
                        place = base.index(option)
                        del base[place:place + 2]
                done = discreet(*base, *more)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")
        for said, more in [("--delta: missing", []), ("--range: missing", ["--aggregate", "median"]), ("--default: found 'x'; accepted is a number", ["--aggregate", "mean", "--range", "0,1", "--default", "x"])]:
            done = discreet(*self.arguments("--query", "SELECT 1", *more))
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)
        self.assertFalse(marked.exists())


class Misbehaving(Case):
    """Whatever a program does, its block gives the default, and nobody hears of it."""

    def failed(self, text, *more, first="#!/usr/bin/env python3"):
        done = discreet(*self.arguments("--program", self.program(text, first), "--delta", "1e-3", "--default", "failed", "--jobs", 2, *more, blocks=13), "--json")
        self.assertEqual((done.returncode, quiet(done)), (0, ""))
        self.assertNotIn(SECRET, done.stdout)
        return json.loads(done.stdout)["value"]

    def test_it_hangs(self):
        start = time.time()
        self.assertEqual(self.failed("sleep 1000", "--seconds", "0.3", first="#!/bin/bash"), "failed")
        self.assertLess(time.time() - start, 30)

    def test_it_eats_memory(self):
        self.assertEqual(self.failed("x = bytearray(1 << 29)\nprint('done')", "--memory", 100), "failed")

    def test_it_forks_and_leaves_children_behind(self):
        text = "import os, sys\nfor _ in range(20):\n  if os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '613'])\nprint('done')"
        self.assertEqual(self.failed(text), "done")
        if self.namespaces():
            left = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if b"613" in self.read(path).split(b"\0") and b"sleep" in self.read(path)]
            self.assertEqual(left, [])

    def test_it_writes_files(self):
        target = self.place / "leaked"
        text = f"import sys\nopen({str(target)!r}, 'w').write(sys.stdin.read())\nprint('done')"
        if self.namespaces():
            self.assertEqual(self.failed(text), "failed")
            self.assertFalse(target.exists())
        self.assertEqual(self.failed("open('mine', 'w').write('x')\nprint(open('mine').read())"), "x")

    def test_it_fills_the_disk(self):
        self.assertEqual(self.failed("f = open('big', 'wb')\nfor _ in range(1000): f.write(bytes(1 << 20))\nprint('done')"), "failed")

    def test_it_reads_the_whole_file(self):
        text = f"print(len(open({str(self.data)!r}).read()))"
        if self.namespaces():
            self.assertEqual(self.failed(text), "0")

    def test_it_opens_a_socket(self):
        import socket
        with socket.create_server(("127.0.0.1", 0)) as server:
            text = f"import socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)\nprint('connected')"
            if self.namespaces():
                self.assertEqual(self.failed(text), "failed")

    def test_it_writes_to_the_terminal(self):
        # By its name as the controlling one, and by the name that it has for everybody.
        main, other = pty.openpty()
        self.addCleanup(os.close, main)
        name = os.ttyname(other)
        text = f"head -2 | tail -1 > row\ncat row > /dev/tty\ncat row > {name}\ncat row > /dev/stderr\necho done"
        command = [DISCREET, *map(str, self.arguments("--program", self.program(text, "#!/bin/bash"), "--delta", "1e-3", blocks=13)), "--json"]
        with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as running:
            os.close(other)
            seen = b""
            try:
                while chunk := os.read(main, 4096):
                    seen += chunk
            except OSError:  # that is how a terminal ends whose other side is closed
                pass
        self.assertEqual(running.returncode, 0)
        self.assertIn(b'"value":"done"', seen)
        if self.namespaces():
            self.assertNotIn(SECRET.encode(), seen)

    def test_it_calls_a_socket_that_has_a_path(self):
        # Network namespaces don't part these.
        import socket
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.place / "socket"))
            server.listen(20)
            server.setblocking(False)
            text = f"import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect({str(self.place / 'socket')!r})\ns.sendall(sys.stdin.buffer.read())\nprint('sent')"
            if not self.isolation()["calls"]:
                self.skipTest("this system has no filters for system calls")
            self.assertEqual(self.failed(text), "failed")
            with self.assertRaises(BlockingIOError):
                server.accept()

    def test_it_writes_into_a_named_pipe(self):
        # A mount that is read-only doesn't hinder it.
        os.mkfifo(self.place / "pipe")
        end = os.open(self.place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        if not self.isolation()["pipes"]:
            self.skipTest("this system has no Landlock")
        self.assertEqual(self.failed(f"cat > {self.place / 'pipe'} && echo sent || echo kept", first="#!/bin/bash"), "kept")
        self.assertEqual(os.read(end, 4096), b"")

    def test_it_has_the_devices_that_lead_nowhere(self):
        if self.namespaces():
            self.assertEqual(self.failed("echo $(ls /dev)", first="#!/bin/bash"), "fd full null random stderr stdin stdout urandom zero")
        self.assertEqual(self.failed("head -c 4 /dev/zero > /dev/null; head -c 4 /dev/urandom | wc -c; cat <(echo x) > /dev/null", first="#!/bin/bash"), "4")

    def test_it_prints_nothing_or_too_much(self):
        self.assertEqual(self.failed(""), "failed")
        start = time.time()
        self.assertEqual(self.failed("head -c 1000000000 /dev/zero | tr '\\0' x", first="#!/bin/bash"), "failed")
        self.assertEqual(self.failed("print('x' * 5000)"), "failed")
        self.assertLess(time.time() - start, 60)

    def test_it_fails_with_a_secret_on_its_lips(self):
        self.assertEqual(self.failed("import sys\nraise ValueError(sys.stdin.read())"), "failed")
        self.assertEqual(self.failed("import sys\nsys.stderr.write(sys.stdin.read())\nprint('done')"), "done")
        done = discreet(*self.arguments("--query", "SELECT error(note) FROM data", "--delta", "1e-3", "--default", "failed"), "--json")
        self.assertEqual((json.loads(done.stdout)["value"], quiet(done), done.returncode), ("failed", "", 0))

    def test_a_block_with_a_secret_answer_is_withheld(self):
        # One block that sees unit 17 answers otherwise: nothing of it comes out.
        text = "import csv, sys\nids = [row['id'] for row in csv.DictReader(sys.stdin)]\nprint('seen' if '17' in ids else 'A')"
        self.assertEqual(self.mode(self.program(text))["value"], "A")

    def test_it_looks_into_the_process_that_holds_all_rows(self):
        text = "import os\nfor pid in os.listdir('/proc'):\n  if pid.isdigit() and int(pid) != os.getpid():\n    try:\n      if b'visits.csv' in open(f'/proc/{pid}/cmdline', 'rb').read(): open(f'/proc/{pid}/mem', 'rb'); print('inside'); break\n    except OSError: pass\nelse: print('outside')"
        if os.geteuid() != 0 or self.namespaces():
            self.assertEqual(self.failed(text), "outside")

    def test_every_block_can_take_the_same_time(self):
        start = time.time()
        self.failed("echo x", "--seconds", "0.2", "--fixed-time", first="#!/bin/bash")
        self.assertGreaterEqual(time.time() - start, 0.7 * 13 / 2)

    def test_it_can_be_interrupted(self):
        script = self.program("sleep 1000", "#!/bin/bash")
        temporary = self.place / "tmp"
        temporary.mkdir()
        running = subprocess.Popen([DISCREET, *map(str, self.arguments("--program", script, "--delta", "1e-3", "--seconds", 600))], env={**os.environ, "TMPDIR": str(temporary)},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
        self.assertEqual((running.returncode, out), (130, ""))
        self.assertIn("nothing was released", err)
        self.assertEqual(list(temporary.iterdir()), [])

    def isolation(self):
        return self.mode(self.program("print('x')"), blocks=13)["isolation"]

    def namespaces(self):
        found = self.isolation()
        return found["network"] and found["files"]

    @staticmethod
    def read(path):
        try:
            return path.read_bytes()
        except OSError:
            return b""


class Unbounded(Case):
    """Queries that DuckDB's own limits don't stop."""

    LONG = "levenshtein(repeat('ab' || min(note), 40000), repeat('ba' || max(note), 40000))"

    def failed(self, query, *more, jobs=2):
        start = time.time()
        done = discreet(*self.arguments("--query", query, "--delta", "1e-3", "--default", "failed", "--jobs", jobs, *more, blocks=13), "--json")
        self.assertEqual((done.returncode, quiet(done)), (0, ""))
        return json.loads(done.stdout)["value"], time.time() - start

    def test_it_computes_for_minutes(self):
        value, took = self.failed(f"SELECT {self.LONG} FROM data", "--seconds", "0.5", "--memory", 200)
        self.assertEqual(value, "failed")
        self.assertLess(took, 30)

    def test_it_computes_for_minutes_before_there_are_rows(self):
        value, took = self.failed("SELECT levenshtein(repeat('ab', 400000), repeat('ba', 400000))", "--seconds", "0.5")
        self.assertEqual(value, "failed")
        self.assertLess(took, 30)

    def test_it_takes_eight_gigabytes(self):
        for query in ["SELECT len(range(1000000000 + min(id)::BIGINT)) FROM data", "SELECT len(range(1000000000))", "SELECT len(repeat('x' || min(note), 400000000)) FROM data"]:
            with self.subTest(query=query):
                self.assertEqual(self.failed(query, "--memory", 100)[0], "failed")

    def test_every_block_can_take_the_same_time(self):
        for query, expected in [("SELECT 'x'", "x"), (f"SELECT {self.LONG} FROM data", "failed")]:
            value, took = self.failed(query, "--seconds", "2", "--fixed-time", jobs=7)
            self.assertEqual(value, expected)
            # 13 blocks by seven, of 2.5 seconds each.
            self.assertTrue(5 <= took < 30, took)

    def test_it_can_be_interrupted(self):
        running = subprocess.Popen([DISCREET, *map(str, self.arguments("--query", f"SELECT {self.LONG} FROM data", "--delta", "1e-3", "--seconds", 600))],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
        self.assertEqual((running.returncode, out), (130, ""))
        self.assertIn("nothing was released", err)

    def test_a_small_limit_is_enough_for_a_small_query(self):
        self.assertEqual(self.failed("SELECT mode(ward) FROM data", "--memory", 16)[0], "A")


class Apart(Case):
    """A block's answer depends on its own rows alone: one block can't tell another."""

    def ask(self, text):
        found = self.mode(self.program(text), "--jobs", 13, blocks=13)
        if not found["isolation"]["calls"]:
            self.skipTest("this system has no filters for system calls")
        return found["value"]

    def test_blocks_do_not_meet_at_a_lock(self):
        # The block of unit 17 locks a file that all of them can read; the others wait to see it.
        text = """
import csv, fcntl, sys, time
file = open(sys.argv[0])
mine = '17' in [row['id'] for row in csv.DictReader(sys.stdin)]
seen = False
for _ in range(40):
    try:
        fcntl.flock(file, fcntl.LOCK_EX if mine else fcntl.LOCK_SH | fcntl.LOCK_NB)
        if not mine: fcntl.flock(file, fcntl.LOCK_UN)
    except BlockingIOError: seen = True
    except PermissionError: pass
    time.sleep(0.05)
print('seen' if seen else 'nothing seen')"""
        self.assertEqual(self.ask(text), "nothing seen")

    def test_what_processes_meet_by_is_denied(self):
        text = """
import ctypes, errno, fcntl, os, platform, socket, struct, sys
c = ctypes.CDLL(None, use_errno=True)
file = open(sys.argv[0])
def call(function, *arguments):
    if getattr(c, function)(*arguments) < 0: raise OSError(ctypes.get_errno(), function)
lock = struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0)
tried = {
    'flock': lambda: fcntl.flock(file, fcntl.LOCK_SH),
    'lockf': lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
    'F_GETLK': lambda: fcntl.fcntl(file, fcntl.F_GETLK, lock),
    'F_OFD_SETLK': lambda: fcntl.fcntl(file, 37, lock),
    'F_OFD_GETLK': lambda: fcntl.fcntl(file, 36, lock),
    'F_SETLEASE': lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    'F_NOTIFY': lambda: fcntl.fcntl(os.open('/', os.O_RDONLY), fcntl.F_NOTIFY, 1),
    'F_SETOWN': lambda: fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid()),
    'F_SET_RW_HINT': lambda: fcntl.fcntl(file, 1036, struct.pack('Q', 2)),
    'F_SETPIPE_SZ': lambda: fcntl.fcntl(1, 1031, 1 << 16),
    'inotify': lambda: call('inotify_init1', 0),
    'shmget': lambda: call('shmget', 4711, 4096, 0o1600),
    'semget': lambda: call('semget', 4711, 1, 0o1600),
    'msgget': lambda: call('msgget', 4711, 0o1600),
    'socketpair': lambda: socket.socketpair(),
    'unshare': lambda: call('unshare', 0x10000000),
    'ptrace': lambda: call('ptrace', 0, 0, 0, 0),
}
if platform.machine() == 'x86_64':
    for name, number in {'mq_open': 240, 'add_key': 248, 'keyctl': 250, 'io_uring_setup': 425, 'process_vm_readv': 310, 'pidfd_getfd': 438, 'perf_event_open': 298, 'bpf': 321,
                         'userfaultfd': 323, 'fanotify_init': 300, 'mount': 165, 'open_tree': 428, 'setns': 308}.items():
        tried[name] = lambda number=number: call('syscall', number, 0, 0, 0, 0, 0)
    tried['clone'] = lambda: call('syscall', 56, 0x10000000 | 17, 0, 0, 0, 0)
made = []
for name, attempt in tried.items():
    try: attempt(); made.append(name)
    except OSError as error:
        if error.errno != errno.EPERM: made.append(name + ' ' + errno.errorcode[error.errno])
print(len(tried) > 16, *made)"""
        self.assertEqual(self.ask(text), "True")

    def test_calls_of_another_kind_end_it(self):
        if os.uname().machine != "x86_64":
            self.skipTest("x32 is a kind of x86-64 alone")
        self.assertEqual(self.ask("import ctypes\nctypes.CDLL(None).syscall(0x40000000 | 39)\nprint('done')"), "failed")

    def test_what_programs_need_is_there(self):
        text = """
import fcntl, os, subprocess, sys, threading
results = []
worker = threading.Thread(target=lambda: results.append(subprocess.run(['echo', 'x'], capture_output=True, text=True).stdout))
worker.start()
worker.join()
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL))
os.makedirs('a/b'); open('a/b/c', 'w').write('1'); os.rename('a/b/c', 'a/d'); open('a/d', 'a').truncate(1); os.unlink('a/d')
print(*results, os.path.exists('a/d'))"""
        self.assertEqual(self.ask(text), "x")


class Records(Case):
    def test_records_that_are_hard_to_read(self):
        self.data.write_bytes(b"\xef\xbb\xbfid,x\r\n" + b"".join(b'%d,"a ""q"" \n line"\r\n' % i for i in range(400)) + b'"broken\n7,\xff\n,nobody\n9\n')
        text = "import csv, sys\nrows = list(csv.DictReader(sys.stdin))\nprint(all(row['x'] == 'a \"q\" \\n line' for row in rows), len({tuple(row) for row in rows}) <= 1)"
        self.assertEqual(self.mode(self.program(text))["value"], "True True")


if __name__ == "__main__":
    unittest.main()
