"""Tests that a test of Python keeps its temporary files in its own folder."""

import os
import tempfile
import unittest


class TemporaryFolderTest(unittest.TestCase):
    def test_is_that_of_the_test(self):
        self.assertEqual(tempfile.gettempdir(), os.environ["TEST_TMPDIR"])


if __name__ == "__main__":
    unittest.main()
