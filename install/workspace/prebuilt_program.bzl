"""prebuilt_program: a program that is there already, with the shared libraries that lie beside it."""

def _prebuilt_program_impl(ctx):
    # Where the file is to be seen from: its run path leads to the libraries from there.
    program = ctx.actions.declare_file(ctx.attr.path)
    ctx.actions.symlink(output = program, target_file = ctx.file.src, is_executable = True)
    return [DefaultInfo(
        executable = program,
        files = depset([program]),
        runfiles = ctx.runfiles([program], transitive_files = depset(transitive = [data[DefaultInfo].files for data in ctx.attr.data])),
    )]

prebuilt_program = rule(
    implementation = _prebuilt_program_impl,
    doc = "Makes a source file an executable target. Not a sh_binary, which isn't part of every Bazel.",
    executable = True,
    attrs = {
        "data": attr.label_list(doc = "prebuilt_libraries."),
        "path": attr.string(mandatory = True, doc = "Where the program is among the outputs of the package."),
        "src": attr.label(mandatory = True, allow_single_file = True, doc = "The program."),
    },
)

def _prebuilt_libraries_impl(ctx):
    libraries = []
    for file in ctx.files.srcs:
        library = ctx.actions.declare_file("%s/%s" % (ctx.attr.folder, file.basename))
        ctx.actions.symlink(output = library, target_file = file)
        libraries.append(library)
    return [DefaultInfo(files = depset(libraries))]

prebuilt_libraries = rule(
    implementation = _prebuilt_libraries_impl,
    doc = "Shared libraries where the run paths of programs look for them.",
    attrs = {
        "folder": attr.string(mandatory = True, doc = "Where the libraries are among the outputs of the package."),
        "srcs": attr.label_list(allow_files = True, doc = "The libraries."),
    },
)
