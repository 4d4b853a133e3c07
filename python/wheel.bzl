"""python_wheel: the Python package as one file for pip."""

load("//rules/private:bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load("//rules/private:toolchain.bzl", "TOOLCHAIN_TYPE")

def _shared_libraries(files):
    """Those among the files, each once: several programs are linked with the same."""
    return {file.basename: file for file in files if ".so" in file.basename}

def _python_wheel_impl(ctx):
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    extension = ctx.file.extension
    libraries = _shared_libraries(synap.compiler_files + ctx.attr.extension[OutputGroupInfo].shared_libraries.to_list())
    places = [("synap/", file) for file in ctx.files.srcs]
    places += [("synap/_synap{ext}", extension), ("synap/bin/synap", synap.compiler), ("{info}/", ctx.file._license)]
    places += [("synap/lib/", file) for file in libraries.values()]

    # The file's name has the version and the interpreter's tag, which only the program knows.
    folder = ctx.actions.declare_directory(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add("python.make_wheel")
    arguments.add("--version_header", ctx.file._version)
    arguments.add("--out_dir", folder.path)
    arguments.add_all(["%s=%s" % (place, file.path) for place, file in places])
    ctx.actions.run(
        executable = ctx.executable._python,
        arguments = [arguments],
        inputs = [file for _, file in places] + [ctx.file._make_wheel, ctx.file._version],
        outputs = [folder],
        mnemonic = "SynapWheel",
        progress_message = "Packing the wheel",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles(files = [folder]))]

python_wheel = rule(
    implementation = _python_wheel_impl,
    doc = "The folder `<name>` with one wheel: the package, its extension, the compiler `synap`, and the shared libraries of both.",
    attrs = {
        "extension": attr.label(mandatory = True, allow_single_file = True, doc = "The extension module: a python_extension."),
        "srcs": attr.label_list(mandatory = True, allow_files = True, doc = "The files of the package synap."),
        "_license": attr.label(default = "//:LICENSE", allow_single_file = True),
        "_make_wheel": attr.label(default = "//python:make_wheel.py", allow_single_file = True),
        "_python": attr.label(
            default = "//rules/private:run_python.sh",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
        "_version": attr.label(default = "//base:version.h", allow_single_file = True),
    },
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)
