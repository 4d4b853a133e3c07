"""A repository rule for a repository of a few files that lie in this one."""

def _stub_repository_impl(ctx):
    ctx.file("WORKSPACE", "workspace(name = %s)\n" % repr(ctx.name))
    for label, path in ctx.attr.files.items():
        ctx.symlink(label, path)

stub_repository = repository_rule(
    implementation = _stub_repository_impl,
    doc = "Links files of this repository into one of their own. A local_repository would look for them in the workspace that is built.",
    local = True,
    attrs = {"files": attr.label_keyed_string_dict(mandatory = True, allow_files = True, doc = "Where each file belongs in the repository.")},
)
