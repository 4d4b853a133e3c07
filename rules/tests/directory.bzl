"""directory: files in a directory that an action makes, as a tool that draws or crops samples does."""

def _directory_impl(ctx):
    made = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        command = 'cp "$@"',
        arguments = [file.path for file in ctx.files.srcs] + [made.path],
        inputs = ctx.files.srcs,
        outputs = [made],
    )
    return [DefaultInfo(files = depset([made]))]

directory = rule(
    implementation = _directory_impl,
    attrs = {"srcs": attr.label_list(allow_files = True)},
)
