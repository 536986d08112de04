"""bench/learning says what it measured: averages against what is required, and no line that spent more than it says."""
import sys
import unittest

from support import SOURCE

sys.path.insert(0, str(SOURCE / "bench" / "learning"))
from cases import CASES  # noqa: E402
from table import lines, markdown  # noqa: E402


def result(accuracies, required=0.9, epsilon="2", spent=2.0):
    return {"name": "one", "words": "words", "epsilon": epsilon, "required": required, "runs": [{"accuracy": a, "epsilon": spent} for a in accuracies]}


class Table(unittest.TestCase):
    def test_the_average_decides(self):
        table = lines([result([0.89, 0.91, 0.92]), result([0.89, 0.9, 0.9])])
        self.assertEqual([line.met for line in table], [True, False])
        text = markdown(table)
        self.assertIn("90.67% | 89.00% … 92.00% | ≥ 90.0% | ✓", text[2])
        self.assertIn("✗", text[3])

    def test_spending_more_is_no_result(self):
        with self.assertRaises(ValueError):
            lines([result([0.99], spent=2.1)])

    def test_the_cases_are_those_that_were_promised(self):
        self.assertEqual([(case.data, case.epsilon, case.required) for case in CASES],
                         [("mnist", "0.5", 0.9), ("mnist", "2", 0.95), ("mnist", "8", 0.97), ("mnist", "3", 0.985), ("fashion", "3", 0.89)])

    def test_the_documentation_has_a_line_for_each(self):
        page = (SOURCE / "docs" / "learn-erm.md").read_text()
        for case in CASES:
            self.assertRegex(page, rf"\| {case.words.replace('+', '[+]')} \| {case.epsilon} \| \d")


if __name__ == "__main__":
    unittest.main()
