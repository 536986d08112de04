"""A separate CMake project finds the installed package, links it and runs."""
import pathlib
import subprocess
import tempfile
import unittest

from support import BUILD, SOURCE


class Install(unittest.TestCase):
    def run_in(self, folder, *command):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_another_project_can_use_it(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder) / "installed"
            self.run_in(folder, "cmake", "--install", str(BUILD), "--prefix", str(prefix))
            self.run_in(folder, "cmake", "-G", "Ninja", "-S", str(SOURCE / "tests" / "consumer"), "-B", "consumer", f"-DCMAKE_PREFIX_PATH={prefix}")
            self.run_in(folder, "cmake", "--build", "consumer")
            int(self.run_in(folder, "consumer/consumer"))
            self.assertRegex(self.run_in(folder, prefix / "bin" / "discreet", "--version"), r"^discreet \d")
            # nothing of the tests is shipped: no seed can be set in what is installed
            shipped = [path.name for path in prefix.rglob("*") if "testing" in str(path) or path.name.endswith("_test.h")]
            self.assertEqual(shipped, [])


if __name__ == "__main__":
    unittest.main()
