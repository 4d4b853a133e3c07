"""The system's own compiler, headers and libraries as an input: one file with the SHA-256 of each.

Actions read the files where Debian has installed them; what they declare is that list. So they run again after an upgrade, and machines with
other packages share no results.
"""

_SCRIPT = Label("//third_party:system_inputs")

def list_system_inputs(ctx, kind, programs = []):
    """Lists the system's files that decide what actions make.

    Args:
      ctx: the context of a repository rule that names SYSTEM_VARIABLES in environ.
      kind: compiler or libraries.
      programs: further programs whose shared libraries count.

    Returns:
      A list of `<SHA-256>  <path>`.
    """
    variables = {name: ctx.os.environ.get(name, "") for name in ["CC", "SYNAP_SYSROOT"]}
    listed = ctx.execute(["bash", ctx.path(_SCRIPT), kind] + programs, environment = variables)
    if listed.return_code != 0:
        fail("%s: %s" % (ctx.name, listed.stderr.strip()))
    return listed.stdout.strip().split("\n")

# Bazel lists anew when its server starts or one of these changes. ./bazelw sets SYNAP_SYSTEM_STAMP to another word when the files do.
SYSTEM_VARIABLES = ["CC", "PATH", "SYNAP_SYSROOT", "SYNAP_SYSTEM_STAMP"]

def _system_inputs_impl(ctx):
    programs = [str(ctx.which(program)) for program in ctx.attr.programs if ctx.which(program)]
    ctx.file("files.txt", "\n".join(list_system_inputs(ctx, ctx.attr.kind, programs)) + "\n")
    digest = ctx.execute(["sha256sum", "files.txt"]).stdout[:16]
    ctx.file("digest.bzl", "DIGEST = \"%s\"\n" % digest)
    ctx.file("WORKSPACE", "")
    ctx.file("BUILD.bazel", "exports_files([\"files.txt\"])\n")

system_inputs = repository_rule(
    implementation = _system_inputs_impl,
    doc = "files.txt lists the system's files that decide what actions make, digest.bzl has 64 bits of its SHA-256.",
    local = True,
    configure = True,
    environ = SYSTEM_VARIABLES,
    attrs = {
        "kind": attr.string(mandatory = True, values = ["compiler", "libraries"], doc = "As third_party/system_inputs takes it."),
        "programs": attr.string_list(doc = "Programs, looked up in PATH, whose libraries count, too."),
    },
)
