"""Trainings that are killed, interrupted or started twice: what is spent stays spent, and they go on where they were."""
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from learn_case import LearningCase
from support import BUILD, DISCREET, answer, discreet, slow


FAILED = ("discreet: the training could not be completed; what was reserved for it stays spent "
          "(nothing more is said, since it could tell about the data)\n")


class StoppedCase(LearningCase):
    """A training that can be stopped, and what it left."""

    def start(self, *more):
        return subprocess.Popen([DISCREET, *map(str, self.sgd("--model", "mlp:200", "--lot", "1500", "--epochs", "3000", *more))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_steps(self, process):
        """Until both files of a checkpoint are there: the newest state is written first, and no lot is drawn before the other."""
        files = [pathlib.Path(self.model + end) for end in (".checkpoint", ".checkpoint.latest")]
        there = lambda: all(file.exists() for file in files)
        until = time.monotonic() + 120
        while not there() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        self.assertTrue(there(), process.stderr.read() if process.poll() is not None else "no checkpoint")

    def header(self, path):
        return json.loads(pathlib.Path(path).read_bytes().split(b"\n", 2)[1])

    def latest(self):
        """(steps that count as spent, steps told) of the newest state that was kept."""
        path = pathlib.Path(self.model + ".checkpoint.latest")
        state = self.header(path)["state"]
        bytes_ = path.read_bytes()
        places = [place for place in (4096, 4096 + 24 + 4 * state) if len(bytes_) >= place + 24 + 4 * state]
        return max(struct.unpack_from("<QQ", bytes_, place) for place in places)


class Resuming(StoppedCase):
    def test_a_killed_run_goes_on_with_what_it_spent(self):
        process = self.start()
        self.wait_for_steps(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertFalse(pathlib.Path(self.model).exists())
        begun, told = self.latest()
        self.assertGreaterEqual(self.header(self.model + ".checkpoint")["begun"], begun)
        self.assertEqual(begun, told + 1)  # the lot under way counts
        arguments = self.sgd("--model", "mlp:200", "--lot", "1500", "--epochs", "3000")
        refusal = discreet(*arguments)
        self.refused(refusal, "--resume")
        self.assertNotIn("--resume --fresh", refusal.stderr)  # one of them is what may be tried
        self.refused(discreet(*self.sgd("--model", "mlp:200", "--lot", "1500", "--epochs", "3000", "--clip", "2", "--resume")), "other options")
        told = answer(*arguments, "--resume")
        self.assertEqual(told["steps"], 6000)
        self.assertLessEqual(told["epsilon"], 2)
        self.assertFalse(pathlib.Path(self.model + ".checkpoint").exists())
        self.assertFalse(pathlib.Path(self.model + ".checkpoint.latest").exists())

    def test_every_start_counts_its_first_lot(self):
        """Killed as soon as there is a checkpoint, again and again: no lot is drawn that isn't counted."""
        more, before = [], 0
        for _ in range(3):
            process = self.start(*more)
            until = time.monotonic() + 120
            counts = lambda: pathlib.Path(self.model + ".checkpoint").exists() and pathlib.Path(self.model + ".checkpoint.latest").exists() and self.latest()[0] > before
            while not counts() and process.poll() is None and time.monotonic() < until:
                pass
            process.send_signal(signal.SIGKILL)
            process.communicate()
            begun, told = self.latest()
            self.assertGreater(begun, before)
            self.assertGreater(begun, told)
            more, before = ["--resume"], begun

    def test_one_training_at_a_time(self):
        process = self.start()
        self.wait_for_steps(process)
        for more in "--resume", "--fresh":
            self.refused(discreet(*self.sgd("--model", "mlp:200", "--lot", "1500", "--epochs", "3000", more)), "another training is running", code=1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(answer(*self.sgd("--fresh"))["steps"], 150)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["model", "rows.csv"])

    def test_without_sampling_a_killed_run_costs_what_a_whole_one_does(self):
        """It goes on with the next epoch, and its account is that of a run that nothing stopped."""
        options = ["--no-sampling", "--model", "mlp:200", "--lot", "30", "--epochs", "40"]
        whole = answer(*self.sgd(*options, "--explain"))
        epoch = whole["steps"] // 40
        more, before, start = [], 0, 0
        for stopped in signal.SIGKILL, signal.SIGKILL, signal.SIGINT:
            process = subprocess.Popen([DISCREET, *map(str, self.sgd(*options, *more))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_steps(process)
            until = time.monotonic() + 120
            while self.latest()[0] <= start + 3 and process.poll() is None and time.monotonic() < until:
                pass
            process.send_signal(stopped)
            _, said = process.communicate()
            if before < start:
                self.assertIn(f"{start - before} steps that were left of an epoch are left out", said)
            if stopped == signal.SIGINT:
                self.assertEqual(process.returncode, 130, said)
                begun = self.header(self.model + ".checkpoint")["begun"]
            else:
                begun, _ = self.latest()
            # Of the epochs before this run's, all steps are spent, whether or not they were taken.
            self.assertGreater(begun, start)
            more, before, start = ["--resume"], begun, -(-begun // epoch) * epoch
        done = answer(*self.sgd(*options, "--resume"))
        self.assertEqual({key: done[key] for key in ("epsilon", "delta", "sigma", "steps", "event")}, {key: whole[key] for key in ("epsilon", "delta", "sigma", "steps", "event")})
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["model", "rows.csv"])

    def test_a_run_that_has_no_step_left_claims_nothing_it_does_not_know(self):
        """Killed in its only epoch, without sampling: of the steps that were told, the noise is told too; of none, nothing."""
        options = self.sgd("--no-sampling", "--model", "mlp:400,200", "--lot", "1", "--epochs", "1")  # seconds: time enough to be killed
        process = subprocess.Popen([DISCREET, *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for_steps(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        _, told = self.latest()
        done = answer(*options, "--resume")
        for key in "train_loss", "train_loss_deviation", "train_accuracy", "train_accuracy_deviation":
            self.assertEqual(done[key] is None, told == 0, key)
        if told > 0:
            self.assertGreater(done["train_accuracy_deviation"], 0.5 / math.sqrt(min(told, done["steps"])) - 1e-9)
        self.assertEqual(done["steps"], done["examples"])

    def test_an_interrupted_run_stops_in_good_order(self):
        process = self.start()
        self.wait_for_steps(process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(out, "")
        self.assertIn("interrupted after", errors)
        self.assertEqual(self.header(self.model + ".checkpoint")["begun"], self.header(self.model + ".checkpoint")["told"])
        self.assertEqual(answer(*self.sgd("--fresh"))["steps"], 150)

    def test_a_crash_looks_like_every_other_failure(self):
        """With a policy the training is a process of its own: whatever kills it, the words and the exit code are the same."""
        arguments, show, sgd = self.clinic_policy()
        heavy = ["--examples", "3000", "--model", "mlp:200", "--lot", "1500", "--epochs", "600"]
        ended = set()
        for number, sent in enumerate([signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL], 1):
            process = subprocess.Popen([DISCREET, *map(str, arguments("0.5", *heavy, "--fresh"))], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_steps(process)
            (child,) = (int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
            os.kill(child, sent)
            out, errors = process.communicate(timeout=60)
            ended.add((process.returncode, out, errors))
            self.assertEqual(show()["unfinished"], number)
            pathlib.Path(self.model + ".checkpoint").unlink()
            pathlib.Path(self.model + ".checkpoint.latest").unlink()
        self.assertEqual(ended, {(1, "", FAILED)})

    def test_a_long_step_is_interrupted(self):
        """Within the step, which gives nothing out and isn't spent."""
        options = self.sgd("--model", "mlp:3000,3000", "--lot", "1500", "--epochs", "20")
        for sent in signal.SIGINT, signal.SIGTERM:
            process = subprocess.Popen([DISCREET, *map(str, options), "--fresh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_steps(process)
            time.sleep(0.5)
            process.send_signal(sent)
            out, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (130, ""), errors)
            self.assertIn("interrupted after 0 of 40 steps", errors)
            self.assertEqual(self.header(self.model + ".checkpoint")["begun"], 0)
            pathlib.Path(self.model + ".checkpoint").unlink()
            pathlib.Path(self.model + ".checkpoint.latest").unlink(missing_ok=True)

    def test_a_killed_training_goes_on_with_what_it_reserved(self):
        arguments, show, sgd = self.clinic_policy()
        heavy = ["--examples", "3000", "--model", "mlp:200", "--lot", "1500", "--epochs", "600"]
        process = subprocess.Popen([DISCREET, *map(str, arguments("1", *heavy))], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for_steps(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        told = show()
        self.assertEqual((told["releases"], told["unfinished"]), (1, 1))
        kept = {name: pathlib.Path(self.model + name).read_bytes() for name in (".checkpoint", ".checkpoint.latest")}
        # Other options, other data or another policy: not under this reservation.
        self.refused(sgd("1", *heavy, "--clip", "2", "--resume"), "other options")
        self.refused(sgd("0.9", *heavy, "--resume"), "other options")
        rows = (self.folder / "visits.csv").read_text()
        (self.folder / "visits.csv").write_text(rows + "9999,1,1,A,1,5\n")
        self.refused(sgd("1", *heavy, "--resume"), "other data", code=3)
        stamps = self.folder / "visits.csv"
        stamps.write_text(rows)
        # The stamp of a file is its size and time: put both back.
        os.utime(stamps, ns=(self.written, self.written))
        text = self.policy.read_text()
        self.policy.write_text(text + "# another\n")
        done = sgd("1", *heavy, "--resume")
        self.assertIn(done.returncode, (1, 3, 4), done.stderr)
        self.policy.write_text(text)
        self.assertEqual(show()["releases"], 1)
        done = sgd("1", *heavy, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("receipt", json.loads(done.stdout))
        told = show()
        self.assertEqual((told["releases"], told["unfinished"]), (1, 0))  # charged once
        # A copy of the checkpoint: the reservation is closed.
        for name, bytes_ in kept.items():
            pathlib.Path(self.model + name).write_bytes(bytes_)
        self.refused(sgd("1", *heavy, "--resume"), "not an open reservation", code=1)
        self.assertEqual(show()["releases"], 1)


class PutBack(StoppedCase):
    """What a training has spent is in its policy's ledger: checkpoints that are put back, copied, cut or run twice don't repeat a step for free."""
    heavy = ["--examples", "3000", "--model", "mlp:200", "--lot", "1500", "--epochs", "600"]

    def setUp(self):
        super().setUp()
        self.arguments, self.show, self.run_sgd = self.clinic_policy()
        self.checkpoint = pathlib.Path(self.model + ".checkpoint")
        self.latest_file = pathlib.Path(self.model + ".checkpoint.latest")

    def train(self, *more, model=None):
        words = [str(word) for word in self.arguments("1", *self.heavy, *more)]
        if model:
            words[words.index("-o") + 1] = str(model)
        return subprocess.Popen([DISCREET, *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until_stopped(self, *more, how=signal.SIGINT, steps=3):
        process = self.train(*more)
        self.wait_for_steps(process)
        begun, until = self.latest()[1], time.monotonic() + 120
        while self.latest_file.exists() and self.latest()[1] < begun + steps and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(how)
        _, said = process.communicate()
        self.assertEqual(process.returncode, 130 if how == signal.SIGINT else -how, said)

    def resume(self):
        return self.run_sgd("1", *self.heavy, "--resume")

    def test_an_older_checkpoint_is_refused(self):
        self.until_stopped()
        copies = [self.checkpoint.read_bytes()]
        for _ in range(3):
            self.until_stopped("--resume")
            copies.append(self.checkpoint.read_bytes())
        self.assertEqual(len(set(copies)), 4)
        for copy in copies[:-1]:
            self.checkpoint.write_bytes(copy)
            self.refused(self.resume(), "not the latest of its training", code=3)
            self.assertEqual(self.checkpoint.read_bytes(), copy)
            self.assertEqual((self.show()["releases"], self.show()["unfinished"]), (1, 1))
        # cut or changed
        for damaged in copies[-1][:-1], copies[-1][:100], b"", copies[-1][:-70] + b"x" + copies[-1][-69:]:
            self.checkpoint.write_bytes(damaged)
            self.refused(self.resume(), "no checkpoint that can be read", code=1)
        self.checkpoint.write_bytes(copies[-1])
        done = self.resume()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.show()["releases"], self.show()["unfinished"]), (1, 0))
        # and none of them once it is over
        for copy in copies:
            self.checkpoint.write_bytes(copy)
            self.refused(self.resume(), "not an open reservation", code=1)

    def test_killed_and_put_back_the_steps_are_lost(self):
        """Both files of a running training are copied; it is killed later, and the copies are put back: whatever they say, the ledger says
        how far it was."""
        process = self.train()
        self.wait_for_steps(process)
        kept = {path: path.read_bytes() for path in (self.checkpoint, self.latest_file)}
        before, until = self.latest()[1], time.monotonic() + 120
        while self.latest()[1] < before + 5 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        _, drawn = self.latest()
        for path, bytes_ in kept.items():
            path.write_bytes(bytes_)
        process = self.train("--resume")
        said = ""
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            begun = self.latest()[0] if self.latest_file.exists() else 0
            if begun > drawn + 1:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        said = process.communicate()[1]
        if process.returncode == 3:
            self.assertIn("not the latest of its training", said)
            return
        # It went on behind all steps that had been drawn, with the older state.
        self.assertIn("steps that the ledger counts as spent are left out", said)
        begun, told = self.latest()
        self.assertGreater(begun - 1, drawn)

    def test_of_two_copies_one_ends(self):
        self.until_stopped()
        second = self.folder / "second"
        pathlib.Path(f"{second}.checkpoint").write_bytes(self.checkpoint.read_bytes())
        running = [self.train("--resume"), self.train("--resume", model=second)]
        ended = [(process.communicate()[1], process.returncode) for process in running]
        self.assertEqual(sorted(code for _, code in ended), [0, 3], ended)
        for said, code in ended:
            if code == 3:
                self.assertRegex(said, "another process has gone on with|not the latest of its training")
        self.assertEqual(pathlib.Path(self.model).exists() + second.exists(), 1)
        self.assertEqual((self.show()["releases"], self.show()["unfinished"]), (1, 0))

    def test_no_step_is_drawn_twice(self):
        """Random copies, crashes between any two writes, two places: real files and a real ledger. The twin, which believes the files, does."""
        for seed in range(4):
            with tempfile.TemporaryDirectory() as folder:
                def act(who, times):
                    place = pathlib.Path(folder) / who
                    place.mkdir()
                    done = subprocess.run([BUILD / "tests/steps-probe", place, str(seed), str(times), who], capture_output=True, text=True,
                                          env={**os.environ, "XDG_STATE_HOME": str(place / "state")})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    return map(int, done.stdout.split())
                drawn, twice, refused, went_on = act("ledger", 1500)
                self.assertEqual(twice, 0)
                self.assertGreater(min(drawn, 20 * refused, 20 * went_on), 100)
                _, twice, _, _ = act("file", 1500)
                self.assertGreater(twice, 20)

    def test_kill_at_some_writes(self):
        self.check_kills(9)

    @slow
    def test_kill_at_every_write(self):
        self.check_kills(1)

    def check_kills(self, stride):
        """Of a small training, from the reservation to the model: whenever it is killed, it goes on, or where it had nothing yet begins anew;
        no more is drawn than was paid for, and what was reserved stays spent."""
        small = ["--examples", "3000", "--model", "logistic", "--lot", "30", "--steps", "9"]
        whole = [str(word) for word in self.arguments("0.01", *small)]
        whole[whole.index("--epochs"):whole.index("--epochs") + 2] = []
        faults = {"LD_PRELOAD": str(BUILD / "tests/faults.so"), "FAULTS_ROOT": str(self.folder)}
        start = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        kinds, write = set(), 1 - stride
        while True:
            write += stride
            for path in self.folder.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path not in start:
                    path.unlink()
            done = subprocess.run([DISCREET, *whole], env={**self.environment, **faults, "FAULTS_KILL": str(write)}, capture_output=True, text=True)
            if done.returncode == 0:
                break
            # The training is a process of its own, and this is how it looks when it is killed.
            self.assertEqual((done.returncode, done.stderr), (1, FAILED))
            before = self.show()
            told = self.latest()[1] if self.latest_file.exists() else 0
            again = discreet(*whole, "--resume", env=self.environment)
            after = self.show()
            kinds.add((again.returncode, before["unfinished"]))
            if again.returncode == 0:
                self.assertEqual(json.loads(again.stdout)["steps"], 9)
                self.assertEqual((after["releases"], after["unfinished"]), (1, 0), write)
            elif again.returncode == 2:
                # Nothing was drawn: without a checkpoint there is nothing to go on with.
                self.assertIn("there is no", again.stderr)
                self.assertEqual(told, 0)
                again = discreet(*whole, env=self.environment)
                self.assertEqual(again.returncode, 0, (write, again.stderr))
                self.assertEqual(self.show()["releases"], before["releases"] + 1)
            else:
                # The model's training was over, and closed.
                self.assertIn("not an open reservation", again.stderr, write)
                self.assertEqual((after["releases"], after["unfinished"]), (1, 0), write)
        self.assertGreater(write, 60)
        self.assertLessEqual({(0, 1), (2, 0), (2, 1)}, kinds)


if __name__ == "__main__":
    unittest.main()
