"""Checks patches/map_width.py with the engine's own modules, in one process. map-width.test.ts runs it."""

import os
import tempfile
import unittest

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())

from ministack.services import stepfunctions

from patches import map_width

widths = []
stepfunctions._run_map_items = lambda state_def, *_: widths.append(state_def.get("MaxConcurrency"))
map_width.take_width_from_input(stepfunctions)


class MapWidth(unittest.TestCase):
    def run_map(self, state_def, state):
        widths.clear()
        stepfunctions._run_map_items({"Type": "Map", **state_def}, state, {}, {})
        return widths

    def test_the_width_comes_from_the_input_or_from_the_state(self):
        self.assertEqual(self.run_map({"MaxConcurrencyPath": "$.width"}, {"width": 3}), [3])
        self.assertEqual(self.run_map({"MaxConcurrency": 2}, {"width": 3}), [2])

    def test_a_width_that_is_no_whole_number_fails_the_state(self):
        for state in ({}, {"width": "3"}, {"width": 1.5}, {"width": -1}):
            with self.assertRaises(stepfunctions._ExecutionError):
                self.run_map({"MaxConcurrencyPath": "$.width"}, state)


if __name__ == "__main__":
    unittest.main()
