"""Writes a wheel, the same bytes for the same files: make_wheel.py --version_header FILE --out_dir DIR PLACE=FILE...

A PLACE is a path in the wheel, or a folder, which ends with '/', for a file that keeps its name. `{ext}` in it is the suffix
of this interpreter's extension modules, `{info}` the folder of the wheel's metadata.
"""

import argparse
import base64
import hashlib
import os
import re
import sys
import sysconfig
import zipfile

# The first time that a zip file can name.
_TIME = (1980, 1, 1, 0, 0, 0)

_METADATA = """\
Metadata-Version: 2.1
Name: synap
Version: {version}
Summary: Runs models of edge NPUs bit by bit on any PC, and converts them
License-File: LICENSE
Requires-Python: >={python}
Requires-Dist: numpy
Provides-Extra: pictures
Requires-Dist: Pillow; extra == 'pictures'
"""

_WHEEL = """\
Wheel-Version: 1.0
Generator: synap {version}
Root-Is-Purelib: false
Tag: {tag}
"""


def version_of(header):
    """The version in base/version.h."""
    return re.search(r'kVersion\[\] = "([^"]+)"', header).group(1)


def tag():
    """The tag of modules for this interpreter, such as cp311-cp311-linux_x86_64."""
    python = "cp%d%d" % sys.version_info[:2]
    return "-".join((python, python, re.sub(r"[-.]", "_", sysconfig.get_platform())))


def record_line(place, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (place, digest, len(content))


def with_metadata(files, version):
    """`files`, place to (content, whether it is a program), and the wheel's own description of them."""
    info = "synap-%s.dist-info/" % version
    files = {place.format(ext=sysconfig.get_config_var("EXT_SUFFIX"), info=info[:-1]): file for place, file in files.items()}
    python = "%d.%d" % sys.version_info[:2]
    files[info + "METADATA"] = (_METADATA.format(version=version, python=python).encode(), False)
    files[info + "WHEEL"] = (_WHEEL.format(version=version, tag=tag()).encode(), False)
    record = "".join(record_line(place, files[place][0]) for place in sorted(files))
    files[info + "RECORD"] = ((record + info + "RECORD,,\n").encode(), False)
    return files


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in sorted(files):
            content, is_program = files[place]
            entry = zipfile.ZipInfo(place, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content)


def read_files(places):
    files = {}
    for argument in places:
        place, file = argument.split("=", 1)
        if place.endswith("/"):
            place += os.path.basename(file)
        with open(file, "rb") as opened:
            files[place] = (opened.read(), "/bin/" in place)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--version_header", required=True)
    parser.add_argument("--out_dir", required=True)
    parser.add_argument("places", nargs="+")
    arguments = parser.parse_args()
    with open(arguments.version_header, encoding="utf-8") as header:
        version = version_of(header.read())
    files = with_metadata(read_files(arguments.places), version)
    write_zip(os.path.join(arguments.out_dir, "synap-%s-%s.whl" % (version, tag())), files)


if __name__ == "__main__":
    main()
