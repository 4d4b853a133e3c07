"""install.py ARCHIVE [--prefix DIR] [--destdir DIR] [--uninstall]: installs what archive.py has packed, or removes it again.

Everything is written beside its place first and then renamed: if a folder can't be written or the disk is full, nothing has
changed, and a program that runs keeps the files that it has opened. share/synap/installed_files.txt lists what was installed;
the next installation removes what it doesn't have any more.
"""

import argparse
import io
import os
import shutil
import signal
import sys
import tarfile
import time

LIST = "share/synap/installed_files.txt"
SUFFIX = ".synap-%d" % os.getpid()


class InstallError(Exception):
    """A sentence for the user."""


def reason(error):
    return os.strerror(error.errno) if error.errno else str(error)


def make_folder(path, made):
    """Makes a folder and those above it; appends those that didn't exist to `made`."""
    if os.path.isdir(path):
        return
    make_folder(os.path.dirname(path), made)
    try:
        os.mkdir(path)
    except OSError as error:
        raise InstallError("%s: can't make the folder: %s; choose another folder with --prefix" % (path, reason(error))) from error
    made.append(path)


def write_beside(info, data, path):
    """Writes an archive's member to path + SUFFIX."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise InstallError("%s: is a folder, expected a file or nothing; remove it" % path)
    beside = path + SUFFIX
    try:
        if info.issym():
            os.symlink(info.linkname, beside)
            return
        with open(beside, "wb") as file:
            os.chmod(file.fileno(), info.mode)
            shutil.copyfileobj(data, file)
    except OSError as error:
        raise InstallError("%s: can't write the file: %s; nothing was installed" % (path, reason(error))) from error


def check_space(folder, size):
    free = shutil.disk_usage(folder).free
    if free < size:
        raise InstallError("%s: %d MiB are free, expected %d MiB; nothing was installed" % (folder, free >> 20, (size >> 20) + 1))


def remove(path):
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def read_list(root):
    """The files that an earlier installation has written, relative to the prefix; none without one."""
    try:
        with open(os.path.join(root, LIST), encoding="utf-8") as file:
            names = file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    for name in names:
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise InstallError("%s: '%s' is no path below the prefix; the file was changed, remove it" % (os.path.join(root, LIST), name))
    return names


def remove_files(root, names):
    """Removes files, and the folders below root that are empty then."""
    for name in names:
        remove(os.path.join(root, name))
    folders = {os.path.dirname(name) for name in names}
    for folder in list(folders):
        while folder:
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(folders - {""}, key=len, reverse=True):
        try:
            os.rmdir(os.path.join(root, folder))
        except OSError:
            pass  # something else is in it


def list_member(names):
    """The list of files as a member of the archive that it lists."""
    data = "".join(name + "\n" for name in names).encode()
    info = tarfile.TarInfo(LIST)
    info.size, info.mode = len(data), 0o644
    return info, io.BytesIO(data)


def install(archive, root):
    """Installs into root; returns the number of files and their bytes."""
    written, made = [], []
    try:
        earlier = read_list(root)
        with tarfile.open(archive) as members:
            infos = members.getmembers()
            make_folder(root, made)
            check_space(root, sum(info.size for info in infos))
            content = [(info, members.extractfile(info) if info.isreg() else None) for info in infos]
            content.append(list_member(sorted([info.name for info in infos] + [LIST])))
            for info, data in content:
                path = os.path.join(root, info.name)
                make_folder(os.path.dirname(path), made)
                written.append(path)
                write_beside(info, data, path)
    except BaseException:
        for path in written:
            remove(path + SUFFIX)
        for folder in reversed(made):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    for path in written:
        os.replace(path + SUFFIX, path)
    remove_files(root, set(earlier) - {info.name for info in infos} - {LIST})
    return len(infos), sum(info.size for info in infos)


def uninstall(root):
    """Removes what the list in root names; returns the number of files."""
    names = read_list(root)
    if not names:
        raise InstallError("%s: nothing is installed here, %s is missing; name the folder with --prefix" % (root, LIST))
    remove_files(root, names)
    return len(names)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="install", description="Installs programs, libsynap.so, headers and rules.")
    parser.add_argument("archive", help=argparse.SUPPRESS)
    parser.add_argument("--prefix", default="~/.local", help="folder that gets bin/, lib/, include/ and share/ [~/.local]")
    parser.add_argument("--destdir", default="", help="folder to write below instead of /, for packages")
    parser.add_argument("--uninstall", action="store_true", help="remove what was installed there")
    return parser.parse_args(arguments)


def below(destdir, prefix):
    """The folder to write to. `bazel run` starts programs in a folder of its own."""
    start = os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd())
    prefix = os.path.normpath(os.path.join(start, os.path.expanduser(prefix)))
    if not destdir:
        return prefix
    return os.path.normpath(os.path.join(start, os.path.expanduser(destdir), prefix.lstrip("/")))


def advice(root):
    """What is left to do for a shell to find the programs."""
    folder = os.path.join(root, "bin")
    if folder in os.environ.get("PATH", "").split(":"):
        return ""
    return '\nPATH lacks its programs: export PATH="%s:$PATH"' % folder


def main(arguments):
    options = parse(arguments)
    root = below(options.destdir, options.prefix)
    start = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.uninstall:
            print("removed %d files from %s" % (uninstall(root), root))
            return 0
        count, size = install(options.archive, root)
    except (InstallError, OSError) as error:
        print("install: %s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("install: interrupted", file=sys.stderr)
        return 130
    seconds = time.monotonic() - start
    print("installed %d files, %.1f MiB, in %s (%.1f s)%s" % (count, size / 2**20, root, seconds, "" if options.destdir else advice(root)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
