"""A repository rule that brings a folder of one of Debian's data packages into the build as declared inputs."""

def _system_files_impl(ctx):
    folder = ctx.path(ctx.attr.folder)
    if not folder.exists:
        fail(("%s was not found: install Debian's package %s (apt-get install %s), or run ./bazelw, which does." %
              (ctx.attr.folder, ctx.attr.package, ctx.attr.package)))
    ctx.symlink(folder, "data")
    ctx.file("WORKSPACE", "")
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

system_files = repository_rule(
    implementation = _system_files_impl,
    doc = "Links a system folder into a repository, as data/.",
    local = True,
    configure = True,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True, doc = "The repository's BUILD file."),
        "folder": attr.string(mandatory = True, doc = "The folder's absolute path."),
        "package": attr.string(mandatory = True, doc = "Debian's package, named in the message when it is missing."),
    },
)
