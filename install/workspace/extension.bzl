"""What MODULE.bazel uses in place of repositories.bzl."""

load("//third_party:installed_prefix.bzl", "installed_prefix")

def _synap_impl(_ctx):
    installed_prefix(name = "synap_prefix")

synap = module_extension(
    implementation = _synap_impl,
    doc = "Declares the repository of the installed programs.",
)
