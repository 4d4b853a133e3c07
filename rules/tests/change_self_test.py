"""change_self_test.py <model.synap> <file>: the model with another digest of its first output in its self-test."""

import json
import sys
import zipfile


def main(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "self_test.json":
                digest = json.loads(data)["cases"][0]["outputs"][0]
                data = data.replace(digest.encode(), b"0" * len(digest))
            # The same time in each build.
            new.writestr(zipfile.ZipInfo(name), data)


if __name__ == "__main__":
    main(*sys.argv[1:])
