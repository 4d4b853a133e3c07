#!/bin/bash
# run_python.sh MODULE [ARGUMENT]...: runs a Python module of this repository. (Bazel's own rules look for a program called python,
# which Debian doesn't have.)
exec python3 -B -m "$@"
