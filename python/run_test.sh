#!/bin/bash
# run_test.sh <file.py> [argument...]: runs a test with the package synap of the runfiles' folder, in which it starts.
set -euo pipefail
export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
exec python3 "$@"
