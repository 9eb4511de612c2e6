"""What must not go wrong in silence: prose that is lost, a median or a ratio that is not one."""

import unittest

from harness import report, rounds, spread

DOCUMENT = """# Title
before
<!-- measured: a -->
old
<!-- end: a -->
What limits it: this stays, \\1 too.
<!-- measured: b -->
<!-- end: b -->
after
"""


class Report(unittest.TestCase):
    def test_only_named_blocks_change(self):
        replaced = report.replace_blocks(DOCUMENT, {"a": r"new \g<0> \n"})
        self.assertEqual(replaced, DOCUMENT.replace("\nold\n", "\n\nnew \\g<0> \\n\n\n"))

    def test_a_second_run_replaces_the_first(self):
        once = report.replace_blocks(DOCUMENT, {"a": "1", "b": "2"})
        self.assertEqual(report.replace_blocks(once, {"a": "1", "b": "2"}), once)
        self.assertIn("What limits it: this stays", once)

    def test_a_missing_or_doubled_place_is_refused(self):
        for document in (DOCUMENT.replace("<!-- end: b -->", ""), DOCUMENT + DOCUMENT):
            with self.assertRaises(report.NoPlace):
                report.replace_blocks(document, {"b": "2"})


class Spread(unittest.TestCase):
    def test_median_and_range(self):
        self.assertEqual(spread.Spread([5, 1, 2]).text(0), "2 (1-5)")
        self.assertEqual(spread.Spread([1234.5]).text(1), "1,234.5")

    def test_noisy_rates_are_marked(self):
        self.assertEqual(spread.rate_text(spread.Spread([10, 10, 6.9])), "10.00 (6.90-10.00)~")
        self.assertEqual(spread.rate_text(spread.Spread([10, 10, 7.1])), "10.00 (7.10-10.00)")

    def test_a_ratio_is_taken_within_each_round(self):
        # The machine was half as fast in the second round: both were, so it does not show.
        ours, theirs = [{"seconds": 2}, {"seconds": 4}], [{"seconds": 1}, {"seconds": 2}]
        self.assertEqual(spread.ratio(ours, theirs).values, [0.5, 0.5])
        self.assertEqual(spread.rate(theirs, 4e9).values, [4, 2])

    def test_sizes(self):
        self.assertEqual([spread.size_text(size) for size in (1, 4096, 3 << 20, 1 << 30)], ["1 B", "4 KiB", "3 MiB", "1 GiB"])


class Rounds(unittest.TestCase):
    def test_cells_are_interleaved_and_the_warm_up_is_forgotten(self):
        order = []

        def cell(name):
            return rounds.Cell((name,), lambda: order.append(name) or {"n": len(order)})

        samples = rounds.run("test", [cell("a"), cell("b")], 2, True)
        self.assertEqual(order, ["b", "a", "a", "b", "b", "a"])
        self.assertEqual(samples, {("a",): [{"n": 3}, {"n": 6}], ("b",): [{"n": 4}, {"n": 5}]})


if __name__ == "__main__":
    unittest.main()
