"""Secure models from the command line: made by synap keys and synap convert, used by every program that reads models."""

import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

SYNAP, CLI, CLI_INFO, CLI_NB, MODEL = [os.path.abspath(path) for path in sys.argv[1:6]]
DOWNGRADE = (b'"secure": true', b'"secure": false')


def run(program, *args, keys="keys/runtime"):
    environment = {name: value for name, value in os.environ.items() if name != "SYNAP_KEYS"}
    if keys:
        environment["SYNAP_KEYS"] = keys
    result = subprocess.run([program, *args], capture_output=True, text=True, check=False, env=environment)
    return result.returncode, result.stdout, result.stderr


def convert(folder, meta, *args):
    return run(
        SYNAP, "convert", "--model", MODEL, "--meta", meta, "--target", "VS680", "--out-dir", folder, "--silent", *args
    )


def stage(name, *args):
    result = run(SYNAP, name, *args, keys=None)
    assert result == (0, "", ""), result


class SecureModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        code, out, err = run(SYNAP, "keys", "--out-dir", "keys")
        assert (code, err) == (0, ""), err
        assert out.startswith("keys/security.yaml is for a metafile's 'security: {file: ...}'"), out
        pathlib.Path("meta").mkdir()
        pathlib.Path("meta/secure.yaml").write_text(
            "security: {secure: true, file: ../keys/security.yaml}\ninputs: [{security: any}]\noutputs: [{security: any}]\n"
        )
        pathlib.Path("meta/plain.yaml").write_text("security: {secure: false}\n")
        assert convert("plain", "meta/plain.yaml") == (0, "", "")
        assert convert("secure", "meta/secure.yaml", "--self-test", "1") == (0, "", "")

    def test_the_program_is_hidden_and_the_rest_is_readable(self):
        with zipfile.ZipFile("plain/model.synap") as plain, zipfile.ZipFile("secure/model.synap") as secure:
            program = plain.read("0/model.nb")
            self.assertTrue(secure.read("0/model.nb").startswith(b"SYNAPENC"))
            self.assertIn('"security": "any"', secure.read("0/model.json").decode())
            self.assertEqual(secure.namelist()[-1], "seal.bin")
        whole = pathlib.Path("secure/model.synap").read_bytes()
        self.assertNotIn(program[-64:], whole)
        self.assertIn("secure: true", pathlib.Path("secure/model_info.txt").read_text())
        self.assertIn("security: any", pathlib.Path("secure/model_info.txt").read_text())

    def test_conversions_are_reproducible(self):
        self.assertEqual(convert("again", "meta/secure.yaml", "--self-test", "1"), (0, "", ""))
        for name in ("model.synap", "model_info.txt"):
            self.assertEqual(pathlib.Path("secure", name).read_bytes(), pathlib.Path("again", name).read_bytes())

    def test_neither_program_nor_graph_is_in_a_file_in_clear(self):
        with zipfile.ZipFile("plain/model.synap") as plain:
            program = plain.read("0/model.nb")
        graph = b"SYNAPIR1"
        self.assertTrue(any(graph in file.read_bytes() for file in pathlib.Path("plain/cache").iterdir()))
        self.assertTrue(list(pathlib.Path("secure/cache").iterdir()))
        for file in pathlib.Path("secure").rglob("*"):
            if file.is_file():
                self.assertNotIn(program[:64], file.read_bytes())
                self.assertNotIn(graph, file.read_bytes())

    def test_a_second_conversion_reads_the_encrypted_cache(self):
        self.assertEqual(convert("twice", "meta/secure.yaml"), (0, "", ""))
        command = ["convert", "--model", MODEL, "--meta", "meta/secure.yaml", "--target", "VS680", "--out-dir", "twice"]
        code, out, _ = run(SYNAP, *command, "--verbose")
        self.assertEqual(code, 0)
        self.assertIn("import: from the cache", out)

    def test_no_message_shows_a_key(self):
        key = pathlib.Path("keys/encryption.key").read_text().strip()
        pathlib.Path("meta/key.yaml").write_text("security: {file: ../keys/encryption.key}\n")
        pathlib.Path("meta/inline.yaml").write_text("security: {encryption_key: %s}\n" % key)
        for meta in ("meta/key.yaml", "meta/inline.yaml", "keys/encryption.key"):
            code, out, err = convert("shown", meta)
            self.assertEqual((code, out), (1, ""))
            self.assertTrue(err.startswith("Error: "), err)
            self.assertNotIn(key[:8], err)

    def test_a_key_that_every_user_may_read_is_a_warning(self):
        self.assertEqual(run(SYNAP, "keys", "--out-dir", "exposed")[0], 0)
        for name in ("exposed/encryption.key", "exposed/runtime/encryption.key"):
            pathlib.Path(name).chmod(0o644)
        pathlib.Path("meta/exposed.yaml").write_text("security: {file: ../exposed/security.yaml}\n")
        code, out, err = convert("warned", "meta/exposed.yaml")
        self.assertEqual((code, out), (0, ""))
        self.assertRegex(err, r"^Warning: meta/../exposed/encryption.key: every user .* \(mode 644\), expected 600; .*\n$")
        code, _, err = run(CLI, "-m", "warned/model.synap", "zero", keys="exposed/runtime")
        self.assertEqual(code, 0)
        self.assertRegex(err, r"^W:SyNAP: .*exposed/runtime/encryption.key: every user .* \(mode 644\)")

    def test_programs_run_it_with_the_keys(self):
        self.assertEqual(run(CLI, "-m", "secure/model.synap", "zero")[0], 0)
        code, out, err = run(SYNAP, "verify", "secure/model.synap")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("1 sample as recorded", out)
        code, out, _ = run(CLI_INFO, "-m", "secure/model.synap", "--id", "1")
        self.assertEqual(code, 0)
        self.assertEqual(out, run(CLI_INFO, "-m", "plain/model.synap", "--id", "1")[1])
        last = re.findall(r"id (\d+) seal.bin", run(CLI_INFO, "-m", "secure/model.synap", keys=None)[1])[0]
        self.assertRegex(
            run(CLI_INFO, "-m", "secure/model.synap", "--id", last, keys=None)[1], "^signed by: CN = SyNAP models\n"
        )

    def test_without_keys_programs_say_what_they_need(self):
        for program in ([CLI, "-m", "secure/model.synap", "zero"], [SYNAP, "verify", "secure/model.synap"]):
            code, _, err = run(*program, keys=None)
            self.assertEqual(code, 1)
            self.assertIn("the model is secure, but SYNAP_KEYS isn't set", err)
        code, out, err = run(CLI_INFO, "-m", "secure/model.synap", "--id", "1", keys=None)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("SYNAP_KEYS isn't set", err)

    def test_other_keys_are_refused(self):
        self.assertEqual(run(SYNAP, "keys", "--out-dir", "other")[0], 0)
        code, _, err = run(CLI, "-m", "secure/model.synap", "zero", keys="other/runtime")
        self.assertEqual(code, 1)
        self.assertIn("of the model's vendor certificate", err)

    def test_a_downgraded_model_is_refused(self):
        data = pathlib.Path("secure/model.synap").read_bytes()
        with zipfile.ZipFile("secure/model.synap") as old, zipfile.ZipFile("down.synap", "w") as new:
            for name in old.namelist():
                if name != "seal.bin":
                    new.writestr(name, old.read(name).replace(*DOWNGRADE))
        self.assertIn(DOWNGRADE[0], data)
        code, _, err = run(CLI, "-m", "down.synap", "zero")
        self.assertEqual(code, 1)
        self.assertIn("is encrypted, but the model has no seal", err)

    def test_two_files_work_too(self):
        self.assertEqual(convert("nb", "meta/secure.yaml", "--out-format", "nb"), (0, "", ""))
        self.assertNotIn("checksum", pathlib.Path("nb/model.json").read_text())
        self.assertEqual(run(CLI_NB, "--nb", "nb/model.nb", "zero")[0], 0)
        info = run(CLI_NB, "--nb", "nb/model.nb", "--info")
        self.assertEqual(info[0], 0)
        self.assertEqual(info[1], run(CLI_INFO, "-m", "plain/model.synap", "--id", "1")[1])
        pathlib.Path("nb/changed.json").write_bytes(pathlib.Path("nb/model.json").read_bytes().replace(*DOWNGRADE))
        code, _, err = run(CLI_NB, "--nb", "nb/model.nb", "--meta", "nb/changed.json", "zero")
        self.assertEqual(code, 1)
        self.assertIn("isn't that of the model's content", err)

    def test_buffers_follow_the_policies(self):
        pathlib.Path("meta/strict.yaml").write_text(
            "security: {file: ../keys/security.yaml}\ninputs: [{security: secure}]\n"
        )
        self.assertEqual(convert("strict", "meta/strict.yaml"), (0, "", ""))
        code, out, err = run(CLI, "-m", "strict/model.synap", "zero")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"Input buffer: .* \(secure\) : zero\nOutput buffer: .* \(secure\)\n")
        code, _, err = run(CLI, "-m", "strict/model.synap", "--dump-out", "zero")
        self.assertEqual(code, 1)
        self.assertIn("is in secure memory, which can't be written to a file", err)
        # A default buffer of an output moves to secure memory if the input is there.
        for where, code in (("none", 1), ("in", 0), ("out", 1), ("all", 0)):
            self.assertEqual(run(CLI, "-m", "strict/model.synap", "--secure", where, "zero")[0], code)
        # Any input goes with any memory of this model.
        for where in ("none", "in", "out", "all", "auto"):
            self.assertEqual(run(CLI, "-m", "secure/model.synap", "--secure", where, "zero")[0], 0)

    def test_only_the_npu_runs_secure_models(self):
        pathlib.Path("meta/cpu.yaml").write_text("delegate: cpu\nsecurity: {file: ../keys/security.yaml}\n")
        code, out, err = convert("cpu", "meta/cpu.yaml")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(
            err,
            "Error: meta/cpu.yaml:1:1: delegate: found '*': cpu in a secure model, expected npu, which alone runs "
            "one; write that, or leave 'security' out\n",
        )

    def test_layers_outside_of_the_npu_are_named_before_the_samples_are_read(self):
        pathlib.Path("chip.yaml").write_text(
            "inherits: vs680\nlimits: [{engine: ppu, when: {layers: [softmax]}, sentence: softmax is slow}]\n"
        )
        pathlib.Path("meta/samples.yaml").write_text(
            "security: {file: ../keys/security.yaml}\nquantization: {mode: full, dataset: none/*.jpg}\n"
        )
        command = ["convert", "--model", MODEL, "--meta", "meta/samples.yaml", "--out-dir", "samples", "--target"]
        code, _, err = run(SYNAP, *command, "chip.yaml")
        self.assertEqual(code, 1)
        self.assertIn("Error: meta/samples.yaml:1:1: security: the npu of CHIP can't run '", err)
        self.assertIn("softmax is slow", err)
        code, _, err = run(SYNAP, *command, "VS680")
        self.assertEqual(code, 1)
        self.assertIn("none/*.jpg", err)

    def test_stages_give_the_same_bytes(self):
        stages = pathlib.Path("stages/parts")
        stages.mkdir(parents=True)
        stage("metapart", "--stage", "compile", "--meta", "meta/secure.yaml", "--out", "stages/parts/compile.yaml")
        self.assertIn('file: "../../meta/../keys/security.yaml"', (stages / "compile.yaml").read_text())
        stage("import", "--model", MODEL, "--meta", "meta/secure.yaml", "--out", "stages/model.sir")
        stage(
            *("compile", "--graph", "stages/model.sir", "--meta", "stages/parts/compile.yaml"),
            *("--target", "VS680", "--out", "stages/model.synap"),
        )
        self.assertEqual(convert("untested", "meta/secure.yaml"), (0, "", ""))
        self.assertEqual(
            pathlib.Path("stages/model.synap").read_bytes(), pathlib.Path("untested/model.synap").read_bytes()
        )

    def test_keys_are_checked_before_the_work(self):
        self.assertEqual(run(SYNAP, "keys", "--out-dir", "keys/foreign")[0], 0)
        files = {
            "encryption_key": "encryption.key",
            "signature_key": "signature.pem",
            "model_certificate": "model.crt",
            "vendor_certificate": "vendor.crt",
        }
        not_pem = "it has no readable certificate, expected an X.509 certificate in PEM with an RSA key of 2048 to 4096 bits"
        pathlib.Path("keys/short.key").write_text("0123456789abcdef" * 3)
        pathlib.Path("keys/binary.key").write_bytes(os.urandom(32))
        pathlib.Path("keys/empty.pem").write_text("")
        for field, file, error in (
            ("encryption_key", "none.key", "none.key: .*No such file"),
            ("encryption_key", "short.key", "short.key: it has 48 characters, expected an AES-256 key as 64 hex"),
            ("encryption_key", "binary.key", "binary.key: it has .* expected an AES-256 key as 64 hex"),
            ("signature_key", "none.pem", "none.pem: .*No such file"),
            ("signature_key", "empty.pem", "empty.pem: it has no readable private key, expected an RSA private key"),
            ("signature_key", "model.crt", "model.crt: it has no readable private key, expected an RSA private key"),
            (
                *("signature_key", "vendor.pem"),
                r"vendor.pem: the key isn't that of meta/../keys/model.crt \(CN = SyNAP models\), expected its private key",
            ),
            ("model_certificate", "none.crt", "none.crt: .*No such file"),
            ("model_certificate", "signature.pem", "signature.pem: " + not_pem),
            ("model_certificate", "vendor.crt", "signature.pem: the key isn't that of meta/../keys/vendor.crt"),
            ("vendor_certificate", "none.crt", "none.crt: .*No such file"),
            ("vendor_certificate", "encryption.key", "encryption.key: " + not_pem),
            ("vendor_certificate", "model.crt", "model.crt: the vendor certificate .* may not certify others"),
            ("vendor_certificate", "foreign/vendor.crt", "model.crt: the model certificate .* wasn't issued by the vendor"),
        ):
            with self.subTest(field=field, file=file):
                paths = "".join("  %s: ../keys/%s\n" % row for row in {**files, field: file}.items())
                pathlib.Path("meta/wrong.yaml").write_text("security:\n" + paths)
                code, out, err = convert("wrong", "meta/wrong.yaml")
                self.assertEqual((code, out), (1, ""))
                self.assertRegex(err, "^Error: meta/../keys/" + error)
                self.assertEqual(err.count("\n"), 1)
                self.assertFalse(pathlib.Path("wrong").exists())

    def test_a_missing_security_file_is_an_error(self):
        pathlib.Path("meta/lost.yaml").write_text("security: {file: ../keys/lost.yaml}\n")
        code, out, err = convert("lost", "meta/lost.yaml")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, "^Error: meta/lost.yaml:1:1: security.file: meta/../keys/lost.yaml: .*No such file.*\n$")

    def test_a_damaged_model_is_refused_by_every_program(self):
        data = bytearray(pathlib.Path("secure/model.synap").read_bytes())
        for place in (4, len(data) // 2, len(data) - 700, len(data) - 1):
            changed = bytearray(data)
            changed[place] ^= 1
            pathlib.Path("damaged.synap").write_bytes(changed)
            for program in (
                [CLI, "-m", "damaged.synap", "zero"],
                [SYNAP, "verify", "damaged.synap"],
                [SYNAP, "report", "damaged.synap", "--out", "damaged.html"],
            ):
                code, _, err = run(*program)
                self.assertEqual(code, 1)
                self.assertIn("damaged.synap", err)
        self.assertFalse(pathlib.Path("damaged.html").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
