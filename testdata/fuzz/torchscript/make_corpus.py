#!/usr/bin/env python3
"""Writes the corpus of torchscript_fuzz, which compiler/import/torchscript's tests read too: the graphs of testdata/torchscript.

    ./bazelw build //compiler/import/torchscript:synap_torchscript_reader
    python3 testdata/fuzz/torchscript/make_corpus.py
"""

import glob
import os
import subprocess

READER = "bazel-bin/compiler/import/torchscript/synap_torchscript_reader"


def main():
    for values in sorted(glob.glob("testdata/torchscript/*.values")):
        name = os.path.basename(values)[:-len(".values")]
        subprocess.run([READER, f"testdata/torchscript/{name}.pt", f"testdata/fuzz/torchscript/{name}.pb"], check=True)


if __name__ == "__main__":
    main()
