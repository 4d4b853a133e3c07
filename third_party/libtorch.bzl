"""What is known of the optional libtorch."""

load("@system_libtorch//:found.bzl", "FOUND", "UNUSED")

LIBTORCH_FOUND = FOUND

# Sonames of the libraries that libtorch is linked with and takes nothing from.
LIBTORCH_UNUSED = UNUSED
