"""What a WORKSPACE calls to use the rules of an installed synap."""

load("//third_party:bazel_repositories.bzl", "bazel_repositories")
load("//third_party:installed_prefix.bzl", "installed_prefix")

def synap_repositories():
    """Declares the repositories that the rules need and registers a toolchain with the installed programs.

    Call it after the workspace's own repositories: what is declared or registered first counts, so a workspace keeps its own rules_cc,
    bazel_skylib and so on, and its own synap_toolchain.
    """
    bazel_repositories()
    installed_prefix(name = "synap_prefix")
    native.register_toolchains(str(Label("//rules:synap_toolchain")))
