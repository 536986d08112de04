"""discreet budget, and discreet sql as far as it spends."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import BUILD, DISCREET, answer, discreet

POLICY = """
[policy]
name = "clinic"
unit = "patient"
budget = {{ epsilon = {epsilon}, delta = 1e-6{more} }}
{extra}
[tables.visits]
source = "visits.csv"
key = "patient_id"
columns.patient_id = {{ type = "integer" }}
columns.ward = {{ values = ["A", "B"] }}
"""
COUNT = "SELECT COUNT(*) FROM visits"
BY_WARD = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"


class Budget(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        (self.folder / "visits.csv").write_text("patient_id,ward\n" + "".join(f"{i},{'AB'[i % 2]}\n" for i in range(1000)))
        self.policy = self.write_policy("clinic.toml")

    def write_policy(self, name, epsilon="1", more="", extra=""):
        path = self.folder / name
        path.write_text(POLICY.format(epsilon=epsilon, more=more, extra=extra))
        return path

    def run_it(self, *arguments, policy=None):
        return discreet(*arguments, "--policy", policy or self.policy, env=self.environment)

    def json(self, *arguments, policy=None):
        return answer(*arguments, "--policy", policy or self.policy, env=self.environment)

    def ask(self, epsilon, query=COUNT, *more, policy=None):
        return self.run_it("sql", "--as", "ana", "--epsilon", epsilon, *more, query, policy=policy)

    def test_show(self):
        before = self.json("budget", "show")
        self.assertEqual(before["spent"], {"epsilon": 0, "delta": 0})
        self.assertFalse((self.folder / "clinic.ledger").exists(), "looking creates nothing")
        self.assertEqual(self.ask("0.1").returncode, 0)
        self.assertEqual(self.ask("0.2").returncode, 0)
        shown = self.json("budget", "show")
        self.assertEqual(shown["budget"], {"epsilon": 1, "delta": 1e-6})
        self.assertEqual(shown["spent"], {"epsilon": 0.3, "delta": 0})
        self.assertEqual(shown["remaining"], {"epsilon": 0.7, "delta": 1e-6})
        self.assertEqual([(one["name"], one["spent"]["epsilon"]) for one in shown["analysts"]], [("ana", 0.3)])
        text = self.run_it("budget", "show").stdout
        self.assertIn("██████████████░░░░░░", text)
        self.assertIn("0.7 of 1", text)

    def test_ten_tenths_and_the_eleventh(self):
        for _ in range(10):
            self.assertEqual(self.ask("0.1").returncode, 0)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 1)
        done = self.ask("0.1")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        for word in ["Requested: ε 0.1", "Remaining: ε 0", "Missing: ε 0.1"]:
            self.assertIn(word, done.stderr)

    def test_what_would_fit(self):
        self.ask("0.7")
        done = self.ask("0.5")
        self.assertEqual(done.returncode, 4)
        self.assertIn("--epsilon 0.3 would fit", done.stderr)
        self.assertEqual(self.ask("0.3").returncode, 0)

    def test_refusals_cost_nothing(self):
        self.assertEqual(self.ask("0.5", "SELECT patient_id FROM visits").returncode, 3)
        self.assertEqual(self.ask("nonsense").returncode, 2)
        self.assertEqual(self.run_it("explain", "--epsilon", "0.5", COUNT).returncode, 0)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0)

    def test_receipts(self):
        done = self.ask("0.1", COUNT, "--json")
        (self.folder / "answer.json").write_text(done.stdout)
        receipt = json.loads(done.stdout)["receipt"]
        self.ask("0.1")
        for given in [self.folder / "answer.json", f"{receipt['id']}:{receipt['hash']}"]:
            self.assertTrue(self.json("budget", "verify", "--receipt", given)["receipt"]["valid"])
        forged = self.run_it("budget", "verify", "--receipt", f"{receipt['id']}:{'0' * 64}")
        self.assertEqual((forged.returncode, forged.stdout), (1, ""))
        self.assertIn("not in this ledger", forged.stderr)
        for nonsense in ["x", "{}", "x:y", str(self.policy)]:
            self.assertEqual(self.run_it("budget", "verify", "--receipt", nonsense).returncode, 2, nonsense)

    def test_history_and_export(self):
        self.ask("0.1", BY_WARD)
        self.run_it("budget", "grant", "ana", "--epsilon", "0.5", "--delta", "0", "--reason", "her study")
        history = self.json("budget", "history")["history"]
        self.assertEqual([entry["kind"] for entry in history], ["init", "release", "grant"])
        self.assertEqual(history[1]["state"], "committed")
        self.assertEqual(history[1]["cost"], {"epsilon": 0.1, "delta": 0})
        self.assertTrue(history[1]["events"])
        self.assertEqual(history[2]["reason"], "her study")
        records = self.json("budget", "export")["records"]
        lines = self.run_it("budget", "export").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines], records)
        # the chain can be checked by whoever has the export
        import hashlib
        head = "0" * 64
        for line in lines:
            body = line[line.index('"body":') + 7:-1]
            head = hashlib.sha256(f"discreet ledger 1\n{head}\n{body}".encode()).hexdigest()
            self.assertEqual(json.loads(line)["hash"], head)
        target = self.folder / "out.jsonl"
        self.assertEqual(self.run_it("budget", "export", "-o", target).returncode, 0)
        self.assertEqual(target.read_text().splitlines(), lines)
        # no exact values, ever: 1000 rows, 500 a ward
        for line in lines:
            self.assertNotIn("500]", line)
        # nor the size of a file, which counts its rows
        stamp = records[1]["body"]["source_stamp"]
        self.assertRegex(stamp, "^sha256:[0-9a-f]{64}$")

    def test_set(self):
        self.ask("0.5")
        self.write_policy("clinic.toml", epsilon="2")
        refused = self.ask("0.7")
        self.assertEqual(refused.returncode, 4)
        self.assertIn("discreet budget set", refused.stderr)
        self.assertEqual(self.run_it("budget", "set", "--epsilon", "2", "--delta", "1e-6").returncode, 2, "a reason is needed")
        self.assertEqual(self.run_it("budget", "set", "--epsilon", "2", "--delta", "1e-6", "--reason", "agreed").returncode, 0)
        self.assertEqual(self.ask("0.7").returncode, 0)
        self.assertEqual(self.json("budget", "show")["remaining"]["epsilon"], 0.8)
        done = self.run_it("budget", "set", "--epsilon", "3", "--delta", "1e-6", "--reason", "more")
        self.assertIn("the policy still says", done.stderr)
        for bad in [["0", "1e-6"], ["-1", "0"], ["1", "1"], ["x", "0"], ["nan", "0"]]:
            self.assertEqual(self.run_it("budget", "set", "--epsilon", bad[0], "--delta", bad[1], "--reason", "x").returncode, 2, bad)

    def test_grant(self):
        self.assertEqual(self.run_it("budget", "grant", "ana", "--epsilon", "0.3", "--delta", "1e-7").returncode, 0)
        self.assertEqual(self.run_it("budget", "grant", "--group", "stats", "--epsilon", "0.4", "--delta", "0").returncode, 0)
        self.assertEqual(self.run_it("budget", "grant", "ana", "--group", "stats").returncode, 0)
        self.assertEqual(self.run_it("budget", "grant", "bo", "--group", "stats").returncode, 0)
        self.assertEqual(self.ask("0.3").returncode, 0)
        self.assertIn("ana's budget", self.ask("0.01").stderr)
        other = self.run_it("sql", "--as", "bo", "--epsilon", "0.2", COUNT)
        self.assertEqual(other.returncode, 4)
        self.assertIn("group stats", other.stderr)
        shown = self.json("budget", "show")
        self.assertEqual(shown["groups"][0]["remaining"]["epsilon"], 0.1)
        self.assertIn("░", self.run_it("budget", "show").stdout)
        for bad in [[], ["ana"], ["ana", "--epsilon", "1"], ["@x", "--epsilon", "1", "--delta", "0"], ["ana", "--epsilon", "1", "--delta", "0", "--accountant", "magic"]]:
            self.assertEqual(self.run_it("budget", "grant", *bad).returncode, 2, bad)

    def test_a_copied_or_renamed_policy_has_no_budget_of_its_own(self):
        self.ask("0.5")
        copy = self.write_policy("copy.toml")
        renamed = self.folder / "elsewhere"
        renamed.mkdir()
        (renamed / "visits.csv").symlink_to(self.folder / "visits.csv")
        shutil.copy(self.policy, renamed / "clinic.toml")
        for policy in [copy, renamed / "clinic.toml"]:
            done = self.ask("0.5", policy=policy)
            self.assertEqual(done.returncode, 1, policy)
            self.assertIn("already has a budget", done.stderr)
        self.assertEqual(self.run_it("budget", "init", "--share", policy=copy).returncode, 2, "a reason is needed")
        self.assertEqual(self.run_it("budget", "init", "--share", "--reason", "a second study", policy=copy).returncode, 0)
        self.assertEqual(self.ask("0.5", policy=copy).returncode, 0)
        self.assertEqual(self.ask("0.5").returncode, 0, "the first one goes on")

    def test_a_deleted_ledger(self):
        self.ask("0.5")
        (self.folder / "clinic.ledger").unlink()
        for done in [self.ask("0.5"), self.run_it("budget", "show"), self.run_it("budget", "init")]:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("missing", done.stderr)
        self.assertEqual(self.run_it("budget", "init", "--new", "--reason", "the disk died").returncode, 0)
        self.assertEqual(self.ask("0.5").returncode, 0)
        first = json.loads(self.run_it("budget", "export").stdout.splitlines()[0])["body"]
        self.assertEqual(first["reason"], "the disk died")
        self.assertEqual(len(first["replaces"]), 1)

    def test_a_moved_folder(self):
        self.ask("0.5")
        moved = self.folder / "moved"
        moved.mkdir()
        for name in ["clinic.toml", "clinic.ledger", "visits.csv"]:
            (self.folder / name).rename(moved / name)
        self.assertEqual(self.ask("0.25", policy=moved / "clinic.toml").returncode, 0)
        self.assertEqual(self.json("budget", "show", policy=moved / "clinic.toml")["spent"]["epsilon"], 0.75)

    def test_reuse(self):
        self.run_it("budget", "grant", "bo", "--epsilon", "0.4", "--delta", "0")
        self.ask("0.3", BY_WARD)
        self.assertEqual(self.ask("0.3", BY_WARD, "--reuse").returncode, 0)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0.3)
        self.assertEqual(self.run_it("sql", "--as", "bo", "--epsilon", "0.3", "--reuse", BY_WARD).returncode, 0)
        shown = self.json("budget", "show")
        self.assertEqual(shown["spent"]["epsilon"], 0.3)
        self.assertEqual([one["spent"]["epsilon"] for one in shown["analysts"]], [0.3, 0.3])
        os.utime(self.folder / "visits.csv", (1, 1))
        stale = self.ask("0.3", BY_WARD, "--reuse")
        self.assertEqual(stale.returncode, 3)
        self.assertIn("--stale", stale.stderr)
        self.assertEqual(self.ask("0.3", BY_WARD, "--reuse", "--stale").returncode, 0)

    def paste(self, stderr):
        """Runs the command that a refusal proposes, through a shell."""
        proposed = [line for line in stderr.splitlines() if line.startswith("  try: discreet ")]
        self.assertEqual(len(proposed), 1, stderr)
        command = proposed[0].removeprefix("  try: ")
        environment = {**self.environment, "PATH": f"{pathlib.Path(DISCREET).parent}:{os.environ['PATH']}"}
        return command, subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, env=environment)

    def test_reuse_never_spends(self):
        query = "SELECT COUNT(*) AS \"it's $HOME\" FROM visits -- `date`"
        refused = self.ask("0.3", query, "--reuse")
        self.assertEqual((refused.returncode, refused.stdout), (3, ""))
        self.assertIn("would cost ε 0.3, δ 0", refused.stderr)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0)
        command, done = self.paste(refused.stderr)
        self.assertIn(f"--policy {self.policy}", command)
        self.assertIn("--or-ask", command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it's $HOME", done.stdout)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0.3)
        # what is recorded is given again, with --or-ask too
        for more in [["--reuse"], ["--reuse", "--or-ask"]]:
            self.assertEqual(self.ask("0.3", query, *more).returncode, 0)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0.3)
        self.assertEqual(self.ask("0.3", query, "--or-ask").returncode, 2, "it says what to do where --reuse finds nothing")
        os.utime(self.folder / "visits.csv", (1, 1))
        command, done = self.paste(self.ask("0.3", query, "--reuse").stderr)
        self.assertIn("--stale", command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json("budget", "show")["spent"]["epsilon"], 0.3)

    def test_hints_can_be_pasted(self):
        command, done = self.paste(self.run_it("sql", "--as", "ana", COUNT).stderr)
        self.assertEqual(f"discreet sql --policy {self.policy} --epsilon 0.5 --as ana '{COUNT}'", command)
        self.assertEqual(done.returncode, 0, done.stderr)
        command, done = self.paste(self.ask("0.7").stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json("budget", "show")["remaining"]["epsilon"], 0)
        self.assertIn(f"discreet budget set --policy {self.policy} --epsilon", self.ask("0.7").stderr)
        # a query that says its own options, or that came by standard input, can't be completed
        for query, text in [("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=7) COUNT(*) FROM visits", None), (None, "SELECT ward, COUNT(*) FROM visits")]:
            refused = subprocess.run([DISCREET, "sql", "--policy", self.policy, *([query] if query else [])], input=text, capture_output=True, text=True, env=self.environment)
            self.assertNotEqual(refused.returncode, 0)
            self.assertNotIn("try:", refused.stderr)
        # nor can one that a terminal would obey
        refused = self.run_it("sql", "SELECT COUNT(*) AS \"\x1b[31m\" FROM visits").stderr
        self.assertIn("add --epsilon", refused)
        self.assertNotIn("\x1b", refused)
        self.write_policy("clinic.toml", epsilon="2")
        refused = self.ask("0.7").stderr
        self.assertIn(f"discreet budget set --policy {self.policy} --epsilon 2 --delta 0.000001 --reason TEXT", refused)

    def test_an_analyst_sees_what_is_left_for_them(self):
        self.assertNotIn("left for", self.ask("0.1").stdout)
        self.assertNotIn("analyst", self.json("budget", "show", "--as", "ana"))
        self.run_it("budget", "grant", "ana", "--epsilon", "0.5", "--delta", "1e-7")
        self.assertRegex(self.ask("0.1").stdout, r"left: ε 0\.8, δ 1e-06   left for ana: ε 0\.3, δ 1e-07   receipt")
        # a group's cap counts too, also for somebody who has none of their own
        self.run_it("budget", "grant", "--group", "stats", "--epsilon", "0.2", "--delta", "0")
        for name in ["ana", "bo"]:
            self.run_it("budget", "grant", name, "--group", "stats")
        self.assertEqual(self.json("budget", "show", "--as", "bo")["analyst"], {"name": "bo", "remaining": {"epsilon": 0.2, "delta": 0}})
        answer = json.loads(self.run_it("sql", "--as", "bo", "--epsilon", "0.15", COUNT, "--json").stdout)
        self.assertEqual((answer["remaining"]["epsilon"], answer["analyst"]["remaining"]), (0.65, {"epsilon": 0.05, "delta": 0}))
        self.assertIn("Left for ana: ε 0.05, δ 0; left of the data set's budget: ε 0.65, δ 1e-06.", self.run_it("budget", "show", "--as", "ana").stdout)
        self.assertNotIn("Left for", self.run_it("budget", "show", "--as", "cy").stdout)

    def test_history_shows_what_was_asked(self):
        query = "select   COUNT(*) /* all of them,\n whoever they are and wherever they may be, in this long question */ from VISITS"
        self.ask("0.1", query)
        self.ask("0.1", query, "--reuse")
        released, reused = self.json("budget", "history")["history"][1:]
        self.assertEqual((released["asked"], reused["asked"]), (query, query))
        self.assertIn('FROM "visits"', released["query"])
        text = self.run_it("budget", "history").stdout
        self.assertEqual(text.count(query.replace("\n", " ")), 2, text)
        self.json("budget", "verify")

    def test_zcdp_and_pure(self):
        self.write_policy("clinic.toml", more=', accountant = "pure"')
        self.assertEqual(self.ask("0.5").returncode, 0)
        shown = self.json("budget", "show")
        self.assertEqual((shown["accountant"], shown["budget"]["delta"]), ("pure", 0))
        self.write_policy("clinic.toml", more=', accountant = "zcdp"')
        self.assertEqual(self.ask("0.1").returncode, 4, "chosen once")
        self.assertEqual(self.run_it("budget", "init", "--new", "--reason", "another accountant").returncode, 0)
        self.assertEqual(self.ask("0.1").returncode, 0)
        shown = self.json("budget", "show")
        self.assertAlmostEqual(shown["spent"]["rho"], (0.01 ** 2 + 0.09 ** 2) / 2)  # a survey, then the answer
        self.assertLess(shown["budget"]["rho"], 0.05)

    def test_renewal(self):
        self.write_policy("clinic.toml", more=", renewal_days = 30")
        self.ask("0.5")
        shown = self.json("budget", "show")
        self.assertEqual(shown["renewal"]["seconds"], 30 * 86400)
        self.assertIn("renewed every 30 days", self.run_it("budget", "show").stdout)

    def test_plot(self):
        self.ask("0.25")
        self.ask("0.25", BY_WARD)
        target = self.folder / "spending.svg"
        for verb in ["show", "history"]:
            self.assertEqual(self.run_it("budget", verb, "--plot", target).returncode, 0)
            self.assertIn("<svg", target.read_text())
            target.unlink()
        self.assertEqual(self.run_it("budget", "show", "--plot", "/no/such/folder/x.svg").returncode, 1)

    def test_usage(self):
        for bad in [["budget"], ["budget", "shw"], ["budget", "show"], ["budget", "show", "--polcy", "x"]]:
            self.assertEqual(discreet(*bad, env=self.environment).returncode, 2, bad)
        done = self.run_it("budget", "show", policy=self.folder / "none.toml")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        for verb in ["show", "history", "verify", "set", "grant", "export", "init"]:
            self.assertIn("Example:", discreet("budget", verb, "--help").stdout)

    def test_kill_a_query_at_every_step(self):
        self.ask("0.001")
        faults = {"LD_PRELOAD": str(BUILD / "tests/faults.so"), "FAULTS_ROOT": str(self.folder)}
        before = self.json("budget", "show")["spent"]["epsilon"]
        reached = shown = 0
        for step in range(1, 40):
            done = subprocess.run([DISCREET, "sql", "--policy", self.policy, "--as", "ana", "--epsilon", "0.001", "--json", COUNT],
                                  capture_output=True, text=True, timeout=60, env={**self.environment, **faults, "FAULTS_KILL": str(step)})
            after = self.json("budget", "show")["spent"]["epsilon"]
            self.assertGreaterEqual(after, before)
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            reached += 1
            if done.stdout:
                shown += 1
                receipt = json.loads(done.stdout)["receipt"]
                self.json("budget", "verify", "--receipt", f"{receipt['id']}:{receipt['hash']}")
                self.assertGreater(after, before)
            before = after
        self.assertGreater(reached, 10)
        self.json("budget", "verify")


if __name__ == "__main__":
    unittest.main()
