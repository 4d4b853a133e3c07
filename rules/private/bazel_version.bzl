"""What differs between the versions of Bazel that the rules work with (docs/bazel.md)."""

# Debian 12 and 13 have Bazel 4. native.subpackages is of Bazel 5.
IS_BAZEL_4 = not hasattr(native, "subpackages")

# For rule(): the programs of a toolchain are built for the configuration of the rule that runs them. Later versions always do so, and
# Bazel 9 doesn't know the word any more.
TOOLCHAIN_TRANSITION = {"incompatible_use_toolchain_transition": True} if IS_BAZEL_4 else {}

def enforced(checks):
    """Outputs of checks that a build has to make although nothing reads them: a rule's hidden top level outputs, and its runfiles.

    Since version 5 Bazel makes those of the output group _validation. In 4 that needs a flag, --experimental_run_validations, which no
    caller has to know.

    Args:
      checks: list of File.

    Returns:
      list of File.
    """
    return checks if IS_BAZEL_4 else []
