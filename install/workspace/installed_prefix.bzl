"""The prefix that synap was installed in, as a repository."""

load(":system_inputs.bzl", "SYSTEM_VARIABLES", "list_system_inputs")

_PROGRAMS = """\
load("@synap//third_party:prebuilt_program.bzl", "prebuilt_libraries", "prebuilt_program")

package(default_visibility = ["//visibility:public"])

exports_files(["system_libraries.txt"])

# Empty where the programs use those of the machine.
prebuilt_libraries(
    name = "libraries",
    folder = "lib/synap",
    srcs = glob(["prefix/lib/synap/*"], allow_empty = True),
)

prebuilt_libraries(
    name = "unused",
    folder = "lib/synap/unused",
    srcs = glob(["prefix/lib/synap/unused/*"], allow_empty = True),
)

[
    prebuilt_program(
        name = program.split("/")[-1],
        data = [":libraries"] + ([":unused"] if program.endswith("/synap_torchscript_reader") else []),
        path = program.split("/", 1)[1],
        src = program,
    )
    for program in glob(["prefix/bin/synap*", "prefix/libexec/synap/*"])
]
"""

# A package of its own: no toolchain for C++ is asked for where only models are built.
_LIBRARY = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "synap",
    srcs = glob(["libsynap.so.*"]),
    hdrs = glob(["include/synap/*"]),
    includes = ["include"],
    visibility = ["//visibility:public"],
)
"""

def _prefix(ctx):
    """The folder that holds bin/: that of an archive of tools itself, or that above share/synap."""
    root = ctx.path(Label("//third_party:installed_prefix.bzl")).realpath.dirname.dirname
    return root if root.get_child("bin").exists else root.dirname.dirname

def _system_libraries(ctx, prefix):
    """The libraries outside of the prefix that what runs in actions loads. Of TorchScript's reader's, those are left out that others don't load."""
    programs = [prefix.get_child("bin").get_child("synap")] + prefix.get_child("libexec").get_child("synap").readdir()
    lines = list_system_inputs(ctx, "libraries", [str(program) for program in programs])
    return [line for line in lines if "  %s/" % prefix not in line]

def _installed_prefix_impl(ctx):
    prefix = _prefix(ctx)
    ctx.symlink(prefix.get_child("include"), "library/include")
    for file in prefix.get_child("lib").readdir():
        # Programs look for libsynap.so.<number>, its soname.
        if file.basename.startswith("libsynap.so.") and file.basename.count(".") == 2:
            ctx.symlink(file, "library/" + file.basename)
    for folder in ["bin", "lib/synap", "libexec"]:
        path = ctx.path("%s/%s" % (prefix, folder))
        if path.exists:
            ctx.symlink(path, "prefix/" + folder)
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)
    ctx.file("BUILD.bazel", _PROGRAMS)
    ctx.file("system_libraries.txt", "\n".join(_system_libraries(ctx, prefix)) + "\n")
    ctx.file("library/BUILD.bazel", _LIBRARY)

installed_prefix = repository_rule(
    implementation = _installed_prefix_impl,
    configure = True,
    environ = SYSTEM_VARIABLES,
    doc = "Links the headers, the library and the programs of the prefix that holds this file.",
    local = True,
)
