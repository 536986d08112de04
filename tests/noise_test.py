"""discreet noise, as a user meets it."""
import os
import pty
import resource
import statistics
import subprocess
import unittest

from support import BUILD, DISCREET, answer, discreet

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
        limit = 600 * 2**20  # a tenth of what 10^8 samples would take; address space, libraries included

        def small(): resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        with subprocess.Popen([DISCREET, "noise", "laplace", "--scale", "1000", "--count", "100000000"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=small) as process:
            read = 0
            while read < 2**25:  # 32 MiB of lines, then hang up
                chunk = process.stdout.read(2**16)
                if not chunk:
                    self.fail(process.stderr.read())
                read += len(chunk)
            process.stdout.close()
            process.wait(timeout=60)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([DISCREET, "noise", "laplace", "--scale", "1", "--count", "100000"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_progress_shows_on_a_terminal_only(self):
        main, side = pty.openpty()
        with subprocess.Popen([DISCREET, "noise", "laplace", "--scale", "1000", "--count", "30000000"], stdout=subprocess.DEVNULL, stderr=side) as process:
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
