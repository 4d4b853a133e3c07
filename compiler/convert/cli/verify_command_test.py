"""synap convert --self-test and synap verify, from the command line."""

import os
import subprocess
import sys
import unittest
import zipfile

SYNAP, MODEL = [os.path.abspath(path) for path in sys.argv[1:3]]
DIGEST = "0" * 64


def run(*args):
    result = subprocess.run([SYNAP, *args], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def convert(folder, *args):
    return run("convert", "--model", MODEL, "--target", "VS680", "--out-dir", folder, "--silent", *args)


def rewrite_self_test(source, target, change):
    """Copies a .synap with another self_test.json."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data.decode()) if name == "self_test.json" else data)


class VerifyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        assert convert("plain", "--profiling") == (0, "", "")
        assert convert("tested", "--self-test", "2", "--profiling") == (0, "", "")

    def test_an_artifact_is_as_recorded(self):
        code, out, err = run("verify", "tested/model.synap")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^tested/model.synap: 2 samples as recorded: \d+ outputs and \d+ results of layers\n$")

    def test_the_option_adds_entries_and_changes_none(self):
        with zipfile.ZipFile("plain/model.synap") as plain, zipfile.ZipFile("tested/model.synap") as tested:
            self.assertEqual(tested.namelist()[: len(plain.namelist())], plain.namelist())
            for name in plain.namelist():
                self.assertEqual(plain.read(name), tested.read(name))

    def test_a_difference_is_an_error(self):
        def change(text):
            start = text.index('"layers"')
            digest = text.index('"', text.index("[", start)) + 1
            return text[:digest] + DIGEST + text[digest + 64 :]

        rewrite_self_test("tested/model.synap", "changed.synap", change)
        code, out, err = run("verify", "changed.synap")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, r"^Error: changed.synap: self-test 0 \('random 0'\): a layer isn't as recorded: layer 0 of \d+, ")

    def test_records_are_compared(self):
        self.assertEqual(run("verify", "tested/model.synap", "--record", "recorded"), (0, "", ""))
        self.assertIn("input_0.npy", os.listdir("recorded"))
        code, out, err = run("verify", "plain/model.synap", "--against", "recorded")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("SQNR/dB", out.splitlines()[0])
        self.assertTrue(all(line.split()[-3] == "0" for line in out.splitlines()[1:]))
        # Other inputs give other results; a large tolerance accepts them.
        os.rename("recorded/input_0.npy", "other.npy")
        with open("other.npy", "r+b") as file:
            file.seek(-4, os.SEEK_END)
            file.write(b"\x00\x00\x80\x3f")
        code, _, err = run("verify", "plain/model.synap", "--against", "recorded", "--input", "other.npy")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"^Error: plain/model.synap: .*\.npy: .*, is the first that differs: \d+ of \d+ elements differ")
        code, _, _ = run(
            "verify", "plain/model.synap", "--against", "recorded", "--input", "other.npy", "--tolerance", "1e30")
        self.assertEqual(code, 0)

    def test_what_is_missing_or_contradicts_is_said(self):
        def error(*args):
            code, out, err = run("verify", *args)
            self.assertEqual((code, out), (1, ""))
            return err

        self.assertIn("it has no self-test, expected one; convert with --self-test 1", error("plain/model.synap"))
        self.assertIn("name them with --input", error("plain/model.synap", "--record", "unused"))
        self.assertIn("expected one of them", error("tested/model.synap", "--record", "a", "--against", "b"))
        self.assertIn("expected --against or --record", error("tested/model.synap", "--input", "x.npy"))
        self.assertIn("--tolerance requires --against", error("tested/model.synap", "--tolerance", "1"))
        self.assertIn("none.synap: ", error("none.synap"))
        code, _, err = convert("nb", "--out-format", "nb", "--self-test", "1")
        self.assertEqual(code, 1)
        self.assertIn("only model.synap has a place for it", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
