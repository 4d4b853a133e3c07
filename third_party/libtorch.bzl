"""Whether the optional libtorch is installed."""

load("@system_libtorch//:found.bzl", "FOUND")

LIBTORCH_FOUND = FOUND
