"""What differs between the versions of Bazel that the rules work with (docs/bazel.md)."""

# Debian 12 and 13 have Bazel 4. native.subpackages is of Bazel 5.
IS_BAZEL_4 = not hasattr(native, "subpackages")

# For rule(): the programs of a toolchain are built for the configuration of the rule that runs them. Later versions always do so, and
# Bazel 9 doesn't know the word any more.
TOOLCHAIN_TRANSITION = {"incompatible_use_toolchain_transition": True} if IS_BAZEL_4 else {}
