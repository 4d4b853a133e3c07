#!/bin/bash
# documented_example_test.sh <program> <program that writes its files>: the example of docs/c_api.md finds the object of a picture.
set -euo pipefail
export XDG_RUNTIME_DIR=$TEST_TMPDIR

mapfile -t files < <("$2")
found=$("$1" "${files[@]}")
expected="0: 0.80 at 0,0,2,1"
[[ $found == "$expected" ]] || { echo "printed '$found', expected '$expected'"; exit 1; }

error=$("$1" "${files[0]}" none.jpg 2>&1) && { echo "none.jpg was read"; exit 1; }
[[ $error == *"reading: none.jpg: "* ]] || { echo "printed '$error', expected what is wrong with none.jpg"; exit 1; }
