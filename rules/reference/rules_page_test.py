"""Which documentation of .bzl files the page shows, and what it refuses."""

import os
import tempfile
import unittest

from rules.reference.rules_page import page

_RULE = '''
"""A file."""

load("@elsewhere//:x.bzl", "thing")
load(":names.bzl", "STAGES", provided = "Provided")

thing(provided)

synap_one = rule(
    implementation = lambda ctx: fail("runs"),
    doc = "Makes <name>.txt, see `<a>`.",
    attrs = dict({stage + "_program": attr.label(doc = "Runs %s." % stage, default = Label("//p:q")) for stage in STAGES}, **{
        "_hidden": attr.string(),
        "count": attr.int(default = 4, doc = "How many | which."),
        "meta": attr.label(mandatory = True, doc = "A file."),
    }),
)

SynapProvided = provided
'''

_MACRO = '''
def synap_two(name, model, shards = 4, target = None, **kwargs):
    """Makes two.

    Args:
      name: the target's name.
      model: the network,
        in a file.
      shards: how many.
      target: a name.
      **kwargs: of both.
    """
    native.genrule(name = name)
'''


class RulesPageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(self.root + "/rules")
        self.write("names.bzl", 'STAGES = ["import"]\nProvided = provider(doc = "What it gives.", fields = {"file": "File: it."})\n')

    def write(self, name, text):
        with open(f"{self.root}/rules/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def page(self, text):
        self.write("synap.bzl", text)
        return page(self.root)

    def test_rules_have_a_row_for_each_attribute(self):
        text = self.page(_RULE)
        self.assertIn("## synap_one\nMakes &lt;name>.txt, see `<a>`.\n", text)
        self.assertIn("| `count` | How many \\| which. | `4` |\n| `import_program` | Runs import. | `\"//p:q\"` |\n"
                      "| `meta` | A file. | required |\n", text)
        self.assertNotIn("hidden", text)

    def test_providers_have_a_row_for_each_field(self):
        self.assertIn("## SynapProvided\nWhat it gives.\n\n| field | meaning |\n|---|---|\n| `file` | File: it. |\n", self.page(_RULE))

    def test_macros_have_a_row_for_each_argument(self):
        self.assertIn("## synap_two\nMakes two.\n\n| attribute | meaning | default |\n|---|---|---|\n"
                      "| `model` | the network, in a file. | required |\n| `shards` | how many. | `4` |\n| `target` | a name. | – |\n"
                      "| `kwargs` | of both. | – |\n", self.page(_MACRO))

    def test_all_has_to_be_documented(self):
        for text, message in [
            (_MACRO.replace("      shards: how many.\n", ""), "synap_two: the argument shards isn't among Args"),
            (_RULE.replace('doc = "A file."', ""), "synap_one: the attribute meta has no doc"),
            (_RULE.replace('doc = "Makes <name>.txt, see `<a>`.",', ""), "synap_one has no doc"),
            ("def synap_two(name):\n    pass\n", "synap_two has no docstring"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                self.page(text)


if __name__ == "__main__":
    unittest.main()
