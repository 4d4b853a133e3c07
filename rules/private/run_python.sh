#!/bin/bash
# run_python.sh MODULE [ARGUMENT]...: runs a Python module of this repository. (Bazel's own rules look for a program called python,
# which Debian doesn't have.)
# A test's temporary files are in its own folder.
if [[ -n ${TEST_TMPDIR-} ]]; then export TMPDIR=$TEST_TMPDIR; fi
exec python3 -B -m "$@"
