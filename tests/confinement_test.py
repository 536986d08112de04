"""Programs and queries on blocks that misbehave: what they are kept from, and what comes of them."""
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import termios
import time
import unittest

from blocks import SECRET, Case, quiet
from support import DISCREET, answer, discreet, pseudo_terminal


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
        main, other = pseudo_terminal(self)
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


if __name__ == "__main__":
    unittest.main()
