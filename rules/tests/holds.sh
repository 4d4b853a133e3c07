#!/bin/sh
# holds.sh <file> <text> [<another file>]: passes if the file has the text, and the other one doesn't.
if ! grep -qF -e "$2" "$1"; then
  echo "$1 has no '$2'"
  exit 1
fi
if [ $# -gt 2 ] && grep -qF -e "$2" "$3"; then
  echo "$3 has '$2', expected only $1 to have it"
  exit 1
fi
