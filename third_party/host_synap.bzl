"""This machine's synap, for builds whose own one would run elsewhere."""

def _host_synap_impl(ctx):
    program = ctx.os.environ.get("SYNAP_HOST", "")
    if not program:
        fail("SYNAP_HOST names no synap that runs on this machine: use tools/test_aarch64, which builds one.")
    ctx.symlink(program, "synap")
    ctx.file("WORKSPACE", "")
    ctx.file("BUILD.bazel", "exports_files([\"synap\"])\n")

host_synap = repository_rule(
    implementation = _host_synap_impl,
    doc = "Links the program that SYNAP_HOST (--repo_env) names, as synap. It finds its libraries where it was built.",
    local = True,
    configure = True,
    environ = ["SYNAP_HOST"],
)
