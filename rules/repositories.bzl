"""What a WORKSPACE calls to use the rules."""

load("//third_party:repositories.bzl", "synap_dependencies")

def synap_repositories():
    """Declares the repositories that the rules need and registers this repository's own toolchain.

    Call it after the workspace's own repositories: what is declared or registered first counts, so a workspace keeps its own rules_cc,
    bazel_skylib and so on, and its own synap_toolchain.
    """
    synap_dependencies()
    native.register_toolchains(str(Label("//rules:synap_toolchain")))
