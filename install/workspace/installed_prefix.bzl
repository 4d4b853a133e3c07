"""The prefix that synap was installed in, as a repository."""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "synap",
    srcs = glob(["lib/libsynap.so.*"]),
    hdrs = glob(["include/synap/*"]),
    includes = ["include"],
)

[
    sh_binary(
        name = name,
        srcs = [program],
    )
    for name, program in {
        "golden_check": "libexec/golden_check",
        "synap_program": "bin/synap",
        "synap_torchscript_reader": "bin/synap_torchscript_reader",
    }.items()
]
"""

def _installed_prefix_impl(ctx):
    # This file is <prefix>/share/synap/third_party/installed_prefix.bzl.
    prefix = ctx.path(Label("//third_party:installed_prefix.bzl")).realpath.dirname.dirname.dirname.dirname
    ctx.symlink(prefix.get_child("include").get_child("synap"), "include/synap")
    for file in prefix.get_child("lib").readdir():
        # Programs look for libsynap.so.<number>, its soname.
        if file.basename.startswith("libsynap.so.") and file.basename.count(".") == 2:
            ctx.symlink(file, "lib/" + file.basename)
    ctx.symlink(prefix.get_child("bin"), "bin")
    ctx.symlink(prefix.get_child("libexec").get_child("synap"), "libexec")
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)
    ctx.file("BUILD.bazel", _BUILD)

installed_prefix = repository_rule(
    implementation = _installed_prefix_impl,
    configure = True,
    doc = "Links the headers, the library and the programs of the prefix that holds this file.",
    local = True,
)
