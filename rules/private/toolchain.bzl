"""The programs that the rules run."""

TOOLCHAIN_TYPE = "//rules:toolchain_type"

SynapToolchainInfo = provider(
    doc = "The programs that the rules run.",
    fields = {
        "checker": "FilesToRunProvider: runs a model and compares it with a golden, on the machine that runs tests.",
        "checker_runfiles": "runfiles: what the checker needs beside itself.",
        "compiler": "File: synap, on the machine that runs actions.",
        "compiler_files": "list of File: what synap needs beside itself, but for the reader.",
        "torchscript_reader": "FilesToRunProvider: what synap starts to read TorchScript modules; None: there is none.",
    },
)

def _synap_toolchain_impl(ctx):
    reader = ctx.executable.torchscript_reader
    runfiles = ctx.attr.compiler[DefaultInfo].default_runfiles.files.to_list()
    return [platform_common.ToolchainInfo(
        synap = SynapToolchainInfo(
            checker = ctx.attr.checker[DefaultInfo].files_to_run,
            checker_runfiles = ctx.attr.checker[DefaultInfo].default_runfiles,
            compiler = ctx.executable.compiler,
            # No action but those that import TorchScript depends on whether libtorch is there.
            compiler_files = [file for file in runfiles if file != reader],
            torchscript_reader = ctx.attr.torchscript_reader[DefaultInfo].files_to_run if reader else None,
        ),
    )]

synap_toolchain = rule(
    implementation = _synap_toolchain_impl,
    doc = """The programs behind the rules; a `toolchain` of type //rules:toolchain_type refers to it.

A workspace that has its own build of the compiler declares one and registers its toolchain before this repository's.""",
    attrs = {
        "checker": attr.label(
            mandatory = True,
            executable = True,
            cfg = "target",
            doc = "Compares a model's outputs with a golden (see //rules/checker).",
        ),
        "compiler": attr.label(
            mandatory = True,
            executable = True,
            # Not "exec": there is one platform, and a second configuration would compile everything twice.
            cfg = "target",
            doc = "`synap`, with a subcommand for each stage.",
        ),
        "torchscript_reader": attr.label(
            executable = True,
            cfg = "target",
            doc = "`synap_torchscript_reader`; without it TorchScript modules can't be imported.",
        ),
    },
)
