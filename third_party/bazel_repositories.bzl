"""The repositories that Bazel itself would otherwise download."""

load(":stub_repository.bzl", "stub_repository")

def _declare_missing(rule, name, **kwargs):
    """Declares a repository whose name is everyone's, unless the workspace that is built has done so."""
    if not native.existing_rule(name):
        rule(name = name, **kwargs)

def bazel_repositories():
    """Declares Debian's copies, and stubs of what nothing here uses. Those that a workspace has declared before are left as they are."""
    _declare_missing(
        stub_repository,
        name = "rules_cc",
        files = {
            Label("//third_party/stubs/rules_cc:BUILD.bazel"): "BUILD.bazel",
            Label("//third_party/stubs/rules_cc/cc:BUILD.bazel"): "cc/BUILD.bazel",
            Label("//third_party/stubs/rules_cc/cc:defs.bzl"): "cc/defs.bzl",
        },
    )
    _declare_missing(
        stub_repository,
        name = "remote_coverage_tools",
        files = {Label("//third_party/stubs/remote_coverage_tools:BUILD.bazel"): "BUILD.bazel"},
    )
    for name, folder in {
        "bazel_skylib": "tools/skylib",
        "platforms": "tools/platforms",
        "rules_java": "rules/java",
        "rules_proto": "rules/proto",
    }.items():
        _declare_missing(native.local_repository, name = name, path = "/usr/share/bazel/" + folder)
