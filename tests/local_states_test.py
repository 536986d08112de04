"""discreet local: states of collectors, merged, kept and refused."""
import hashlib
import json
import os
import pathlib
import random
import struct
import unittest

from local_case import FLAT, InFolder, feed, in_order, perturbed, protocols
from support import answer, discreet, slow


class States(InFolder):
    def but_for_its_runs(self, path, runs):
        """Without the list of collections, which are three or one; behind it come no names, no bounds and a checksum."""
        content = pathlib.Path(path).read_bytes()
        end = len(content) - 32 - 8 - 8
        self.assertEqual(content[end - 16 * runs - 8:end - 16 * runs], runs.to_bytes(8, "little"))
        return content[:end - 16 * runs - 8]

    def test_states_by_standard_output(self):
        arguments = ["flat", "--epsilon", "1", "--domain", "3"]
        reports = self.file("reports", "0\n1\n1\n")
        for name in ["one", "two"]:
            done = feed(["aggregate", *arguments, str(reports), "-o", "-"], b"")
            self.assertEqual(done.returncode, 0, done.stderr)
            (self.folder / name).write_bytes(done.stdout)
        merged = feed(["merge", str(self.folder / "one"), str(self.folder / "two")], b"")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        told = feed(["estimate", *arguments, "--json"], merged.stdout)
        self.assertEqual(json.loads(told.stdout)["users"], 6)
        self.assertEqual(feed(["merge", str(self.folder / "one"), "--json"], b"").returncode, 2)

    def test_merged_states_are_one_state(self):
        values = [0, 0, 1, 2] * 500
        for protocol in protocols():
            with self.subTest(protocol["name"]):
                arguments = in_order(protocol)
                lines = perturbed(arguments, values if protocol["task"] == "frequencies" else [0.25] * 2000).splitlines(True)
                lines.insert(700, b"junk\n")
                parts = [self.file(f"r{i}", b"".join(lines[a:b])) for i, (a, b) in enumerate([(0, 10), (10, 1500), (1500, 2001)])]
                keep = ["--keep-reports"] if protocol["task"] == "frequencies" else []
                states = [str(self.folder / f"s{i}") for i in range(5)]
                for part, state in zip(parts, states):
                    self.assertEqual(discreet("local", "aggregate", *arguments, part, "-o", state, *keep).returncode, 0)
                self.assertEqual(discreet("local", "merge", *states[:3], "-o", states[3]).returncode, 0)
                self.assertEqual(discreet("local", "aggregate", *arguments, *parts, "-o", states[4], *keep).returncode, 0)
                self.assertEqual(self.but_for_its_runs(states[3], 3), self.but_for_its_runs(states[4], 1))
                methods = [["--method", "inversion"], ["--method", "ibu", "--rounds", "20"]]
                for how in methods if protocol["task"] == "frequencies" else [[]]:
                    whole = discreet("local", "estimate", *arguments, *how, "-i", *parts, "--json").stdout
                    self.assertIn('"users":2000,"rejected":1', whole)
                    for files in [states[3:4], states[:3]]:
                        self.assertEqual(discreet("local", "estimate", *arguments, *how, "--state", *files, "--json").stdout, whole)

    def state(self, name="state", data=b"1\n2\n3\n", arguments=FLAT, more=()):
        path = str(self.folder / name)
        done = feed(["aggregate", *arguments, "-o", path, *more], data)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def test_other_protocols_and_parameters_are_refused(self):
        one = self.state()
        other = self.state("other", arguments=["flat", "--epsilon", "1", "--domain", "5"])
        out = self.file("out", "old")
        self.refused(discreet("local", "merge", one, other, "-o", out), "same protocol")
        self.assertEqual(pathlib.Path(out).read_text(), "old")
        for arguments in [["flat", "--epsilon", "2", "--domain", "4"], ["flat", "--epsilon", "1", "--domain", "5"],
                          ["coins", "--epsilon", "1", "--domain", "4"]]:
            self.refused(discreet("local", "estimate", *arguments, "--state", one), "found a state of")
        self.refused(discreet("local", "merge", one, self.state("kept", more=["--keep-reports"]), "-o", out), "collected alike")

    def test_the_same_file_twice(self):
        one = self.state()
        link = str(self.folder / "link")
        os.symlink(one, link)
        for pair in [(one, one), (one, link)]:
            self.refused(discreet("local", "merge", *pair, "-o", str(self.folder / "out")), "twice")
            self.refused(discreet("local", "estimate", *FLAT, "--state", *pair), "twice")

    def test_clients_in_both_states(self):
        one = self.state("one", b"ann\t1\nbob\t2\n", more=["--ids"])
        two = self.state("two", b"cy\t1\nann\t2\n", more=["--ids"])
        three = self.state("three", b"cy\t1\n", more=["--ids"])
        plain = self.state("plain", b"1\n")
        self.refused(discreet("local", "merge", one, two, "-o", str(self.folder / "out")), "1 client")
        self.refused(discreet("local", "merge", one, plain, "-o", str(self.folder / "out")), "ids")
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(answer("local", "merge", one, three, "-o", str(self.folder / "out"))["users"], 3)

    def test_damage_is_found_wherever_it_is(self):
        whole = pathlib.Path(self.state()).read_bytes()
        places = sorted({0, 1, 22, 23, 30, len(whole) - 1, *random.Random(5).sample(range(len(whole)), 25)})
        for place in places:
            broken = bytearray(whole)
            broken[place] ^= 1 << (place % 8)
            self.refused(discreet("local", "estimate", *FLAT, "--state", self.file("broken", bytes(broken))), "accepted is a file")
            self.refused(discreet("local", "estimate", *FLAT, "--state", self.file("cut", whole[:place])), "accepted is a file")
        self.refused(discreet("local", "merge", self.file("more", whole + b"\0"), "-o", str(self.folder / "o")), "accepted is a file")

    def forged(self, state, users, counters):
        """The state with other numbers and the checksum that they ask for."""
        whole = pathlib.Path(state).read_bytes()
        at = whole.index(b"\n") + 1
        at += 8 + struct.unpack_from("<Q", whole, at)[0]
        listed = at + 8 + 6 * 8
        count, = struct.unpack_from("<Q", whole, listed)
        behind = whole[listed + 8 + 8 * count:-32]
        body = whole[:at] + struct.pack("<Q", users) + whole[at + 8:listed] + struct.pack(f"<Q{len(counters)}Q", len(counters), *counters) + behind
        return self.file("forged", body + hashlib.sha256(body).digest())

    def test_numbers_that_no_reports_give_are_refused_alone_and_in_a_sum(self):
        epsilon = ["--epsilon", "1"]
        cases = [(FLAT, b"1\n2\n", 50, [50, 50, 50, 50]), (FLAT, b"1\n2\n", 2, [1, 1, 0]), (["duchi", *epsilon], b"+1\n", 100, [2**40, 5]),
                 (["duchi", *epsilon], b"+1\n", 100, [0, 0]), (["hybrid", *epsilon], b"+1\n", 100, [0] * 6),
                 (["piecewise", *epsilon], b"7\n", 100, [2**62, 0, 0]), (["subset", *epsilon, "--domain", "4"], b"1\n", 100, [100] * 4),
                 (["optimised-unary", *epsilon, "--domain", "4"], b"0101\n", 100, [101, 0, 0, 0])]
        for arguments, reports, users, counters in cases:
            with self.subTest(arguments[0], counters=counters):
                good = self.state(data=reports, arguments=arguments)
                bad = self.forged(good, users, counters)
                self.refused(discreet("local", "estimate", *arguments, "--state", bad), "forged", "don't fit")
                for pair in [(bad, good), (good, bad), (bad,)]:
                    self.refused(discreet("local", "merge", *pair, "-o", str(self.folder / "sum")), "forged", "don't fit")
                self.assertFalse((self.folder / "sum").exists())

    def test_records_and_words_are_checked_before_they_are_added_up(self):
        for verb, arguments, reports, counters in [
                ("records", ["flat", "--epsilon", "1", "--domains", "3,2"], b"0\t2\n1\t1\n", [1, 1, 1, 1, 1, 0, 1]),
                ("hitters", ["--epsilon", "1", "--bytes", "2"], b"0 1 2 3\n1 1 2 3\n", [2, 1])]:
            states = [str(self.folder / name) for name in ["one", "two"]]
            for state in states:
                self.assertEqual(feed([verb, "aggregate", *arguments, "-o", state], reports).returncode, 0)
            both = str(self.folder / "both")
            self.assertEqual(answer("local", "merge", *states, "-o", both)["users"], 4)
            self.refused(discreet("local", "merge", states[0], self.forged(states[1], 2, counters), "-o", both), "forged", "don't fit")

    def mutated(self, content, draw):
        """The file with a few bytes of its content changed, cut or repeated, and the checksum that it then asks for."""
        begin = content.index(b"\n") + 1
        body = bytearray(content[begin:-32])
        for _ in range(draw.choice([1, 1, 1, 2, 5])):
            at = draw.randrange(len(body)) if body else 0
            how = draw.randrange(7)
            if how == 0:
                body[at:at + 1] = bytes([draw.randrange(256)])
            elif how == 1:
                body[at] ^= 1 << draw.randrange(8)
            elif how == 2:
                body[at:at + 8] = struct.pack("<Q", draw.choice([0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, draw.getrandbits(64)]))
            elif how == 3:
                del body[at:at + draw.randrange(1, 40)]
            elif how == 4:
                body[at:at] = body[at:at + draw.randrange(1, 40)]
            elif how == 5:
                body = body[:at]
            else:  # a list's length, or a counter: whole numbers stand at such places
                at -= at % 8
                body[at:at + 8] = struct.pack("<Q", (int.from_bytes(body[at:at + 8], "little") + draw.choice([-1, 1])) % 2**64)
        whole = content[:begin] + bytes(body)
        return whole + hashlib.sha256(whole).digest()

    def mutate_states(self, times):
        """Of every protocol: no mutation of a state ends a command other than by an answer or a refusal."""
        draw, read = random.Random(28), 0
        given = [(["estimate"], in_order(protocol)) for protocol in protocols()]
        given += [(["records", "estimate"], ["flat", "--epsilon", "1", "--domains", "3,2"]), (["hitters", "estimate"], ["--epsilon", "1", "--bytes", "2"])]
        for verbs, arguments in given:
            lines = {"records": b"0\t2\n1\t1\n", "hitters": b"0 1 2 3\n1 1 2 3\n"}.get(verbs[0])
            if lines is None:
                task = next(p["task"] for p in protocols() if p["name"] == arguments[0])
                lines = perturbed(arguments, [0, 1, 1, 2] * 5 if task == "frequencies" else [0.25] * 20)
            collect = ["aggregate"] if verbs == ["estimate"] else [verbs[0], "aggregate"]
            for keep in [[], ["--keep-reports"]]:
                state = str(self.folder / "valid")
                if feed([*collect, *arguments, *keep, "-o", state], lines).returncode != 0:
                    continue
                whole = pathlib.Path(state).read_bytes()
                # the unmutated file is read: otherwise nothing below would mean anything
                for command in [["merge", state, "-o", str(self.folder / "out")], [*verbs, *arguments, "--state", state]]:
                    done = discreet("local", *command)
                    self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
                for _ in range(times):
                    path = self.file("mutated", self.mutated(whole, draw))
                    for command in [["merge", path, "-o", str(self.folder / "out")], [*verbs, *arguments, "--state", path]]:
                        done = discreet("local", *command)
                        self.assertIn(done.returncode, (0, 2), f"{command}: {done.stderr}")
                        self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)
                        self.assertTrue(done.returncode == 0 or done.stderr.startswith("discreet: "), done.stderr)
                        read += done.returncode == 0
        # some are read to the end, so that the first check isn't all that was tried
        self.assertGreater(read, 0)
        return read

    def test_mutated_states_are_read_or_refused(self):
        self.mutate_states(6)

    @slow
    def test_a_thousand_mutated_states_are_read_or_refused(self):
        self.assertGreater(self.mutate_states(60), 30)


if __name__ == "__main__":
    unittest.main()
