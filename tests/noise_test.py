"""discreet noise, as a user meets it."""
import os
import signal
import statistics
import subprocess
import unittest

from support import BUILD, DISCREET, answer, discreet, pseudo_terminal

KINDS = {"laplace": "--scale", "geometric": "--scale", "rounded-laplace": "--scale", "gaussian": "--sigma", "discrete-gaussian": "--sigma"}


class Noise(unittest.TestCase):
    def test_one_integer_a_line(self):
        for kind, option in KINDS.items():
            done = discreet("noise", kind, option, "1000", "--count", "5")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, "")
            self.assertEqual(len([int(line) for line in done.stdout.splitlines()]), 5)

    def test_json(self):
        for kind, option in KINDS.items():
            samples = answer("noise", kind, option, "50", "--count", "20000")["samples"]
            self.assertEqual(len(samples), 20000)
            self.assertTrue(all(isinstance(z, int) for z in samples))
        self.assertEqual(answer("noise", "laplace", "--scale", "3", "--count", "0"), {"samples": []})

    def test_the_scale_is_the_one_asked_for(self):
        # standard deviations within 5 % of theory at 20,000 samples (six standard errors are 4.7 % for Laplace, 3 % for Gaussian)
        for kind, expected in [("laplace", 70.71), ("rounded-laplace", 70.71), ("gaussian", 50), ("discrete-gaussian", 50)]:
            deviation = statistics.pstdev(answer("noise", kind, KINDS[kind], "50", "--count", "20000")["samples"])
            self.assertAlmostEqual(deviation / expected, 1, delta=0.05, msg=kind)
        mean = statistics.fmean(answer("noise", "geometric", "--scale", "10", "--count", "20000")["samples"])
        self.assertAlmostEqual(mean, 9.508, delta=0.45)  # 1/(e^0.1 − 1)

    def test_numbers_may_be_written_as_people_do(self):
        for scale in ["1/3", "ln(3)", "1e3", "65537/3", "2^-20", "2^40", "0.5"]:
            self.assertEqual(discreet("noise", "laplace", "--scale", scale).returncode, 0, scale)

    def test_two_runs_differ(self):
        draw = lambda: answer("noise", "laplace", "--scale", "1e6", "--count", "10")
        self.assertNotEqual(draw(), draw())

    def test_bad_input_names_the_option_and_what_is_accepted(self):
        cases = [("--scale", ["--scale", bad], "2^-20") for bad in ["0", "-1", "nan", "NaN", "1e400", "inf", "", "abc", "2^41", "1e-7"]]
        cases += [("--count", ["--scale", "1", "--count", bad], "whole number") for bad in ["-1", "1.5", "x", "1e30"]]
        for option, arguments, accepted in cases:
            for kind in ["laplace", "geometric"]:
                done = discreet("noise", kind, *arguments)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertEqual(done.stdout, "", arguments)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(option, done.stderr)
                self.assertIn(accepted, done.stderr)
        done = discreet("noise", "gaussian", "--sigma", "0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--sigma", done.stderr)

    def test_did_you_mean(self):
        for arguments, suggestion in [(["nose"], "noise"), (["noise", "lapalce"], "laplace"), (["noise", "laplace", "--scael", "3"], "--scale"),
                                      (["noise", "gaussian", "--sigma", "3", "--jsno"], "--json")]:
            done = discreet(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(f"did you mean '{suggestion}'", done.stderr)
        for arguments in [[], ["noise"], ["noise", "laplace"], ["noise", "laplace", "--scale"], ["noise", "laplace", "--scale", "1", "extra"]]:
            done = discreet(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_help_and_version(self):
        self.assertRegex(discreet("--version").stdout, r"^discreet \d+\.\d+\.\d+$")
        for arguments in [["--help"], ["noise", "--help"]] + [["noise", kind, "--help"] for kind in KINDS]:
            done = discreet(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn("discreet", done.stdout)

    def test_a_large_count_streams_in_constant_memory(self):
        # the most memory held at any time, in KiB, does not grow with the count: held at once, 5·10^7 samples would take 400 MB
        def peak(count):
            process = subprocess.Popen([DISCREET, "noise", "laplace", "--scale", "1000", "--count", str(count)], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss
        self.assertLess(peak(50_000_000), peak(1000) + 10_000)

    def test_an_interrupt_ends_with_130(self):
        with subprocess.Popen([DISCREET, "noise", "laplace", "--scale", "1000", "--count", "1000000000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            for _ in process.stdout:
                pass
            self.assertEqual(process.wait(timeout=60), 130)
            self.assertEqual(process.stderr.read(), "discreet: interrupted\n")

    def test_nothing_a_user_types_breaks_the_line(self):
        for bad in ["1\n2", "\x1b[31mred", "9" * 100000, "1e4096" + "*1e4096" * 500, "é" * 200]:
            for arguments in [["noise", "laplace", "--scale", bad], ["noise", "laplace", "--scale", "1", "--count", bad], ["noise", bad], ["noise", "laplace", "--" + bad]]:
                done = discreet(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertNotIn("\x1b", done.stderr)
                self.assertLess(len(done.stderr), 500)

    def test_standard_error_may_be_closed(self):
        done = subprocess.run(f"'{DISCREET}' noise laplace --scale 0 2>&-", shell=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        for stream in ["--version", "--help"]:
            self.assertEqual(subprocess.run(f"'{DISCREET}' {stream} >/dev/full", shell=True, capture_output=True).returncode, 1)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([DISCREET, "noise", "laplace", "--scale", "1", "--count", "100000"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_progress_shows_on_a_terminal_only(self):
        main, side = pseudo_terminal(self)
        environment = {**os.environ, "TERM": "xterm"}
        with subprocess.Popen([DISCREET, "noise", "laplace", "--scale", "1000", "--count", "30000000"], stdout=subprocess.DEVNULL, stderr=side, env=environment) as process:
            os.close(side)
            shown = b""
            try:
                while chunk := os.read(main, 4096):
                    shown += chunk
            except OSError:
                pass  # the terminal's other end closed
            self.assertEqual(process.wait(), 0)
        self.assertIn("30,000,000", shown.decode())
        piped = discreet("noise", "laplace", "--scale", "1000", "--count", "300000")
        self.assertEqual(piped.stderr, "")


if __name__ == "__main__":
    unittest.main()
