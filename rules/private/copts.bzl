"""Compiler options of every C++ target, generated code included.

They stand here and not in .bazelrc: a workspace that uses the rules has a .bazelrc of its own. Options of a target come after those of the
command line, so no --cxxopt=-std=c++17 or --copt=-ffp-contract=fast of such a workspace changes them.
"""

load("//third_party:compiler.bzl", "COMPILER_DIGEST")

# No source asks for it: it makes the compiler and its headers a part of each compilation's key.
COMPILER_COPTS = ["-DSYNAP_COMPILER=" + COMPILER_DIGEST]

LANGUAGE_COPTS = COMPILER_COPTS + [
    # The same bits from every compiler: a * b + c is fused only where the source says fma (docs/numerics.md).
    "-ffp-contract=off",
    "-std=c++20",
]
