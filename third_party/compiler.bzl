"""The compiler's identity, for the keys of the actions that it does."""

load("@system_compiler//:digest.bzl", "DIGEST")

COMPILER_DIGEST = DIGEST
