"""Contents of the stages' programs: their bytes are part of the keys of the actions that run them."""

import os
import sys
import unittest

PROGRAMS = {os.path.basename(path): path for path in sys.argv[1:]}

# Words of a target's file, compiler/target/data/vs680.*.yaml.
DATA = b"VIP9000NANOQI"


class StageProgramsTest(unittest.TestCase):
    def holds_targets(self, stage):
        with open(PROGRAMS["synap_" + stage], "rb") as file:
            return DATA in file.read()

    def test_only_compilation_holds_the_targets_data(self):
        self.assertTrue(self.holds_targets("compile"))
        for stage in ["metapart", "calibrate", "quantize"]:
            self.assertFalse(self.holds_targets(stage), f"synap_{stage} changes with the data of each target")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
