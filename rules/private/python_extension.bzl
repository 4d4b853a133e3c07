"""python_extension: a module for Python in C++."""

load(":cc.bzl", "synap_cc_binary")
load(":position_independent.bzl", "position_independent")

def _extension_impl(ctx):
    # An attribute with a transition is a list, here of one target.
    linked = ctx.attr.linked[0][DefaultInfo]
    module = ctx.actions.declare_file(ctx.label.name + ".so")
    ctx.actions.symlink(output = module, target_file = linked.files.to_list()[0])
    needed = linked.default_runfiles.files.to_list()
    return [
        DefaultInfo(
            files = depset([module]),
            runfiles = ctx.runfiles(files = [module]).merge(linked.default_runfiles),
        ),
        OutputGroupInfo(shared_libraries = depset([file for file in needed if file not in linked.files.to_list()])),
    ]

_extension = rule(
    implementation = _extension_impl,
    attrs = {
        "linked": attr.label(
            mandatory = True,
            cfg = position_independent,
            doc = "A cc_binary with linkshared.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def python_extension(name, version_script, deps, linkopts = [], **kwargs):
    """Links `<name>.so` for Python; what it depends on is compiled as position-independent code and is part of it, but for shared libraries.

    Its runfiles are those shared libraries, which are also its output group shared_libraries.

    Args:
      name: the target's and the module's name.
      version_script: the symbols that it exports: PyInit_<name>.
      deps: the libraries that it consists of, the one with PYBIND11_MODULE with alwayslink.
      linkopts: options of the linker.
      **kwargs: passed to the target (visibility, ...).
    """
    synap_cc_binary(
        name = name + "_linked.so",
        additional_linker_inputs = [version_script],
        linkopts = ["-Wl,--version-script=$(location %s)" % version_script] + linkopts,
        linkshared = True,
        # The target below alone links it, with other options.
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = deps,
    )
    _extension(
        name = name,
        linked = name + "_linked.so",
        **kwargs
    )
