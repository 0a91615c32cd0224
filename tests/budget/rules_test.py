# SPDX-License-Identifier: MIT
"""That the budgets catch what they are for."""
import os
import tempfile
import unittest

import rules


class Rules(unittest.TestCase):
    def compare(self, count, record, limits=None):
        return rules.compare({"calls": count}, None if record is None else {"calls": record}, limits or {})

    def test_up_to_ten_percent_more_passes_in_silence(self):
        self.assertEqual(self.compare(110, 100), ([], []))
        self.assertEqual(self.compare(90, 100), ([], []))

    def test_more_fails(self):
        failures, _ = self.compare(111, 100)
        self.assertEqual(len(failures), 1)
        self.assertIn("111, 100 is recorded", failures[0])

    def test_something_where_nothing_is_recorded_fails(self):
        self.assertTrue(self.compare(1, 0)[0])

    def test_less_is_reported(self):
        failures, notes = self.compare(89, 100)
        self.assertEqual(failures, [])
        self.assertIn("better", notes[0])

    def test_no_record_passes_and_says_so(self):
        failures, notes = self.compare(1000, None)
        self.assertEqual(failures, [])
        self.assertIn("no record", notes[0])

    def test_a_promise_holds_with_and_without_a_record(self):
        self.assertTrue(self.compare(31, None, {"calls": 30})[0])
        self.assertTrue(self.compare(31, 31, {"calls": 30})[0])
        self.assertFalse(self.compare(30, 30, {"calls": 30})[0])

    def test_what_is_promised_or_recorded_must_be_counted(self):
        self.assertTrue(rules.compare({}, None, {"calls": 30})[0])
        self.assertTrue(rules.compare({}, {"calls": 30}, {})[0])

    def test_what_was_written_is_read(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertIsNone(rules.read_record(directory, "linux-x64"))
            rules.write_record(directory, "linux-x64", {"calls": 3})
            self.assertEqual(rules.read_record(directory, "linux-x64"), {"calls": 3})
            self.assertEqual(os.listdir(directory), ["linux-x64.json"])


if __name__ == "__main__":
    unittest.main()
