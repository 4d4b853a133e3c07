"""synap report and synap diff, from the command line."""

import html.parser
import json
import os
import subprocess
import sys
import unittest

SYNAP, MODEL = [os.path.abspath(path) for path in sys.argv[1:3]]
VOID = {"meta", "br", "input", "link", "img"}


def run(*args):
    result = subprocess.run([SYNAP, *args], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


class Page(html.parser.HTMLParser):
    """The ids, links and elements of a page; checks that elements close in order."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.links, self.counts, self.data = [], set(), [], {}, {}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if "id" in attrs:
            assert attrs["id"] not in self.ids, attrs["id"]
            self.ids.add(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
        if tag not in VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][1]:
            self.data[self.open[-1][1]] = data


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        for target in ["VS680", "VS640"]:
            assert run("convert", "--model", MODEL, "--target", target, "--out-dir", target, "--silent") == (0, "", "")

    def test_the_page_is_whole(self):
        self.assertEqual(run("report", "VS680/model.synap"), (0, "", ""))
        page = Page("VS680/model.html")
        layers = json.loads(page.data["layers-data"])
        self.assertGreater(len(layers), 5)
        for i, layer in enumerate(layers):
            self.assertIn(f"layer{i}", page.ids)
            self.assertTrue(all(p < i for p in layer["reads"]))
            self.assertGreater(layer["ms"], 0)
        self.assertTrue(all(link[0] == "#" and link[1:] in page.ids for link in page.links))

    def test_two_reports_are_the_same_bytes(self):
        for name in ["one.html", "two.html"]:
            self.assertEqual(run("report", "VS680/model.synap", "--out", name), (0, "", ""))
        with open("one.html", "rb") as one, open("two.html", "rb") as two:
            self.assertEqual(one.read(), two.read())

    def test_models_are_compared(self):
        code, out, err = run("diff", "VS680/model.synap", "VS640/model.synap", "--html", "diff.html")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\n\* target +VS680 +VS640\n")
        self.assertRegex(out, r"\n  layers +\d+ +\d+\n")
        Page("diff.html")
        limited = run("diff", "VS680/model.synap", "VS640/model.synap", "--top", "1")[1]
        self.assertRegex(limited, r"\n  \.\.\. and \d+ more layers that differ\n$")
        self.assertEqual(run("diff", "VS680/model.synap", "VS640/model.synap", "--out", "diff.txt"), (0, "", ""))
        with open("diff.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), out)
        code, out, err = run("diff", "VS680/model.synap", "VS680/model.synap")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("the same network, layer by layer", out)

    def test_what_is_wrong_is_said(self):
        def error(*args):
            code, out, err = run(*args)
            self.assertEqual((code, out), (1, ""))
            return err

        with open("text.synap", "w", encoding="utf-8") as file:
            file.write("no model")
        self.assertTrue(error("report", "text.synap").startswith("Error: text.synap: "))
        self.assertFalse(os.path.exists("text.html"))
        self.assertTrue(error("diff", "VS680/model.synap", "missing.synap").startswith("Error: missing.synap: "))
        self.assertEqual(
            error("report", "VS680/model.synap", "--analysis", "text.synap").split(":")[1].strip(), "text.synap")
        self.assertIn(
            "text.synap: ", error("diff", "VS680/model.synap", "VS640/model.synap", "--analysis", "text.synap", "text.synap"))
        self.assertIn("folder/none", error("report", "VS680/model.synap", "--out", "folder/none/x.html"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
