"""The programs that the rules run."""

load("//compiler/import:frameworks.bzl", "FRAMEWORKS")

# With this repository's name: a bare //rules would be looked up in the workspace that uses the rules.
TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))

# The commands that have a program each; that of `report` takes `diff`, too. The attribute of a synap_toolchain is <stage>_program.
STAGES = ["metapart", "import", "calibrate", "quantize", "compile", "provenance", "analyze", "check", "inspect", "report", "export", "preprocess"]

def import_stage_of(framework):
    """The stage that imports models of a framework; its program falls back on that of `import`.

    Args:
      framework: a struct of FRAMEWORKS.

    Returns:
      A key of SynapToolchainInfo.programs.
    """
    return "import_" + framework.folder

# Each stage, and the command of `synap` that its program takes.
_COMMANDS = dict({stage: stage for stage in STAGES}, **{import_stage_of(framework): "import" for framework in FRAMEWORKS})

SynapToolchainInfo = provider(
    doc = "The programs that the rules run.",
    fields = {
        "checker": "FilesToRunProvider: runs a model and compares it with a golden, on the machine that runs tests.",
        "checker_runfiles": "runfiles: what the checker needs beside itself.",
        "compiler": "File: synap, on the machine that runs actions.",
        "compiler_files": "list of File: what synap needs beside itself, without the reader and the reader's libraries.",
        "programs": "dict: each stage to a struct of the program that takes its command (executable: File) and what that needs (files: list of File).",
        "torchscript_reader": "File: the program that synap starts to read TorchScript modules; None: there is none.",
        "torchscript_reader_files": "list of File: what the reader needs beside itself, libtorch among them.",
    },
)

_RunfilesByDependencyInfo = provider(
    doc = "The runfiles of a program, before they are merged.",
    fields = {"runfiles": "dict: the label of each dependency (deps and data) to its depset of File."},
)

def _runfiles_by_dependency_impl(target, ctx):
    dependencies = getattr(ctx.rule.attr, "deps", []) + getattr(ctx.rule.attr, "data", [])
    return [_RunfilesByDependencyInfo(runfiles = {
        dependency.label: dependency[DefaultInfo].default_runfiles.files
        for dependency in dependencies
        if dependency[DefaultInfo].default_runfiles
    })]

_runfiles_by_dependency = aspect(
    implementation = _runfiles_by_dependency_impl,
    doc = "Tells which dependency of a program brought which of its runfiles.",
)

_MODE = "//command_line_option:compilation_mode"
# With the name of this repository, as TOOLCHAIN_TYPE.
_TARGET = str(Label("//rules:target"))

def _optimized_impl(settings, attr):
    """Bazel's default, fastbuild, is for programs that are built more often than run: a calibration would take many times as long."""
    # Bazel hands over an enumerator that equals no string.
    mode = str(settings[_MODE])
    if mode != "fastbuild":
        return {_MODE: mode, _TARGET: settings[_TARGET]}

    # Programs in another configuration than the build's lie in a folder that is named after all options: with the target among them, the
    # command line of every stage would change with it.
    return {_MODE: "opt", _TARGET: "any"}

_optimized = transition(
    implementation = _optimized_impl,
    inputs = [_MODE, _TARGET],
    outputs = [_MODE, _TARGET],
)

def _runfiles(target):
    return target[DefaultInfo].default_runfiles.files

def _compiler_files(compiler, reader):
    """What the compiler needs to do anything but start the reader.

    For users the reader is among the compiler's data. An action that has libtorch among its inputs for that reason alone would have another
    key on each machine without that optional library.
    """
    by_dependency = compiler[_RunfilesByDependencyInfo].runfiles
    if not reader or reader.label not in by_dependency:
        return _runfiles(compiler).to_list()
    return depset(transitive = [files for label, files in by_dependency.items() if label != reader.label]).to_list()

def _stage_programs(ctx, compiler):
    """The program of each stage: its own, or else that of its command, or else the compiler."""
    programs = {}
    for stage, command in _COMMANDS.items():
        own = getattr(ctx.attr, stage + "_program")
        programs[stage] = struct(
            executable = getattr(ctx.executable, stage + "_program"),
            files = _runfiles(own[0]).to_list() + [ctx.file._libraries],
        ) if own else programs.get(command, compiler)
    return programs

def _synap_toolchain_impl(ctx):
    # An attribute with a transition is a list, here of one target.
    checker = ctx.attr.checker[0]
    reader = ctx.attr.torchscript_reader[0] if ctx.attr.torchscript_reader else None
    compiler = struct(
        executable = ctx.executable.compiler,
        files = _compiler_files(ctx.attr.compiler[0], reader) + [ctx.file._libraries],
    )
    return [platform_common.ToolchainInfo(
        synap = SynapToolchainInfo(
            checker = checker[DefaultInfo].files_to_run,
            checker_runfiles = checker[DefaultInfo].default_runfiles.merge(ctx.runfiles([ctx.file._libraries])),
            compiler = compiler.executable,
            compiler_files = compiler.files,
            programs = _stage_programs(ctx, compiler),
            torchscript_reader = ctx.executable.torchscript_reader,
            torchscript_reader_files = _runfiles(reader).to_list() if reader else [],
        ),
    )]

def _program_doc(stage, command):
    if stage == command:
        return "Takes the command `%s` of `synap`; without it `compiler` does. A program of its own changes less often." % command
    framework = [framework.name for framework in FRAMEWORKS if import_stage_of(framework) == stage][0]
    return "As `%s_program`, for models of %s alone; without it that one reads them." % (command, framework)

synap_toolchain = rule(
    implementation = _synap_toolchain_impl,
    doc = """The programs that the rules run; a `toolchain` of type @synap//rules:toolchain_type refers to it.

A workspace that has its own build of the compiler declares one and registers its toolchain before this repository's.""",
    attrs = dict({
        stage + "_program": attr.label(
            executable = True,
            cfg = _optimized,
            doc = _program_doc(stage, command),
        )
        for stage, command in _COMMANDS.items()
    }, **{
        "checker": attr.label(
            mandatory = True,
            executable = True,
            cfg = _optimized,
            doc = "Compares a model's outputs with a golden (see //rules/checker).",
        ),
        "compiler": attr.label(
            mandatory = True,
            aspects = [_runfiles_by_dependency],
            executable = True,
            # Not "exec": there is one platform, and a second configuration would compile everything twice.
            cfg = _optimized,
            doc = "`synap`, with a subcommand for each stage.",
        ),
        "torchscript_reader": attr.label(
            executable = True,
            cfg = _optimized,
            doc = "`synap_torchscript_reader`; without it TorchScript modules can't be imported.",
        ),
        "_libraries": attr.label(
            default = Label("//third_party:libraries"),
            allow_single_file = True,
            doc = "The system's libraries that the programs load, as a list with digests.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    }),
)
