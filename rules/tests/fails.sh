#!/bin/sh
# fails.sh <program> <text>: passes if the program fails and says the text.
if said=$("$1" 2>&1); then
  echo "$1 succeeds, expected a failure; it says: $said"
  exit 1
fi
case $said in
  *"$2"*) ;;
  *)
    echo "expected '$2', found: $said"
    exit 1
    ;;
esac
