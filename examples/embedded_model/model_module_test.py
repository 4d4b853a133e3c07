"""A model of synap_py_model: its path, from the module that the rule writes."""

import os
import subprocess
import sys
import unittest

from examples.embedded_model import shapes_module

SYNAP_CLI = os.path.abspath(sys.argv[1])


class ModelModuleTest(unittest.TestCase):
    def test_the_path_is_that_of_the_model(self):
        path = shapes_module.path()
        self.assertEqual(os.path.relpath(path), "models/classifier/classifier.synap")
        self.assertTrue(shapes_module.__doc__.startswith("//models/classifier:classifier, a model for "))

    def test_the_path_stays_when_the_folder_changes(self):
        path = shapes_module.path()
        before = os.getcwd()
        os.chdir("/")
        self.addCleanup(os.chdir, before)
        self.assertEqual(shapes_module.path(), path)

    def test_the_network_runs(self):
        result = subprocess.run([SYNAP_CLI, "-m", shapes_module.path(), "random"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Predict", result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
