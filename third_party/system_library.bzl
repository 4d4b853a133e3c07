"""A repository rule that brings one of Debian's libraries into the build as declared inputs.

The headers and libraries are linked into the repository file by file or folder by folder, so that Bazel digests them: an
upgraded package changes the keys of exactly the actions that read it, also in a cache that machines share.

SYNAP_SYSROOT (--repo_env) names a folder in which the packages of another machine are unpacked: headers and libraries come
from there, programs, which a build runs, still from this machine.
"""

def _run(ctx, arguments):
    result = ctx.execute(arguments)
    return result.stdout.strip() if result.return_code == 0 else None

def _sysroot(ctx):
    return ctx.os.environ.get("SYNAP_SYSROOT", "")

def _multiarch(ctx):
    """Debian's name of the machine that is built for, which its folders have."""
    for folder in ctx.path(_sysroot(ctx) + "/usr/lib").readdir() if _sysroot(ctx) else []:
        if folder.basename.endswith("-linux-gnu"):
            return folder.basename
    return (_run(ctx, ["uname", "-m"]) or "x86_64") + "-linux-gnu"

def _missing(ctx, what):
    if _sysroot(ctx):
        fail("%s was not found in %s: tools/test_aarch64 unpacks it there." % (what, _sysroot(ctx)))
    fail(("%s was not found: install Debian's package %s (apt-get install %s), or run ./bazelw, which does."  %
          (what, ctx.attr.package, ctx.attr.package)))

def _folders(ctx, variable, known):
    """The folder that pkg-config names, then the known ones that exist."""
    sysroot = _sysroot(ctx)
    if sysroot:
        return [sysroot + folder for folder in known]
    folders = []
    if ctx.attr.pkg_config:
        pkg_config = ctx.which("pkg-config")
        if not pkg_config:
            fail("pkg-config was not found: install Debian's package pkg-config, or run ./bazelw, which does.")
        found = _run(ctx, [pkg_config, "--variable=" + variable, ctx.attr.pkg_config])
        if found == None:
            _missing(ctx, "pkg-config's description of %s" % ctx.attr.pkg_config)
        if found:
            folders.append(found)
    return folders + [f for f in known if f not in folders]

def _find_all(ctx, folders, name):
    paths = []
    for folder in folders:
        path = ctx.path(folder + "/" + name)
        if path.exists and path.realpath not in paths:
            paths.append(path.realpath)
    return paths

def _find(ctx, folders, name):
    paths = _find_all(ctx, folders, name)
    return paths[0] if paths else None

def _with_pattern(ctx, folders, names, suffix):
    """Libraries' names, each pattern absl_* replaced by the names that it matches, by itself if there is none."""
    result = []
    for name in names:
        if not name.endswith("*"):
            result.append(name)
            continue
        found = {
            file.basename[len("lib"):-len(suffix)]: None
            for folder in folders
            for file in (ctx.path(folder).readdir() if ctx.path(folder).exists else [])
            if file.basename.startswith("lib" + name[:-1]) and file.basename.endswith(suffix)
        }
        result += sorted(found) or [name]
    return result

def _dynamic_entries(ctx, library, tag):
    """The values of a shared library's entries for the loader, of which SONAME has one and NEEDED many."""
    objdump = ctx.which("objdump")
    lines = (_run(ctx, [objdump, "-p", str(library)]) or "").split("\n") if objdump else []
    return [line.strip().split(" ")[-1] for line in lines if line.strip().startswith(tag + " ")]

def _link_shared(ctx, library):
    """Links a library under its soname: the name that the loader will look for."""
    soname = (_dynamic_entries(ctx, library, "SONAME") or [library.basename])[0]
    ctx.symlink(library, "lib/" + soname)

def _python_folder(ctx):
    """The folder of Python's headers, which has the version in its name: that of /usr/bin/python3, or the sysroot's."""
    if _sysroot(ctx):
        names = [folder.basename for folder in ctx.path(_sysroot(ctx) + "/usr/include").readdir()]
        return (sorted([name for name in names if name.startswith("python3.")]) or ["python3"])[-1]
    return _run(ctx, ["/usr/bin/python3", "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"]) or "python3"

def _link_all(ctx):
    """Links what the rule names; the name of the first thing that is missing, or None."""
    multiarch = _multiarch(ctx)

    includes = _folders(ctx, "includedir", ["/usr/include", "/usr/include/" + multiarch, "/usr/local/include"])
    for header in ctx.attr.headers:
        found = _find_all(ctx, includes, _python_folder(ctx) if header == "python3" else header)
        if not found:
            return "the header %s" % header
        ctx.symlink(found[0], "include/" + header)
        if len(found) > 1:
            # OpenSSL's configuration.h lies in the machine's own folder of the same name.
            ctx.symlink(found[1], "include_machine/" + header)

    libraries = _folders(ctx, "libdir", ["/usr/lib/" + multiarch, "/usr/lib", "/usr/local/lib"])
    for name in _with_pattern(ctx, libraries, ctx.attr.shared_libraries, ".so"):
        found = _find(ctx, libraries, "lib%s.so" % name)
        if not found:
            return "the library lib%s.so" % name
        _link_shared(ctx, found)
    for name in _with_pattern(ctx, libraries, ctx.attr.static_libraries, ".a"):
        found = _find(ctx, libraries, "lib%s.a" % name)
        if not found:
            return "the library lib%s.a" % name
        ctx.symlink(found, "lib/lib%s.a" % name)

    for name in ctx.attr.programs:
        found = ctx.which(name)
        if not found:
            return "the program %s" % name
        ctx.symlink(found, "bin/" + name)
    return None

def _is_named(soname, names):
    name = soname[len("lib"):].split(".so")[0]
    return any([name.startswith(known[:-1]) if known.endswith("*") else name == known for known in names])

def _unused(ctx):
    """The sonames of the libraries that the linked ones need by name only."""
    needed = {
        soname: None
        for library in ctx.path("lib").readdir()
        for soname in _dynamic_entries(ctx, library.realpath, "NEEDED")
    }
    return sorted([soname for soname in needed if _is_named(soname, ctx.attr.unused)])

def _system_library_impl(ctx):
    if ctx.attr.unused and not ctx.attr.optional:
        fail("unused is written into found.bzl, which optional libraries alone have; write optional = True, or leave it out")
    missing = _link_all(ctx)
    if missing and not ctx.attr.optional:
        _missing(ctx, missing)
    if ctx.attr.optional:
        unused = _unused(ctx) if ctx.attr.unused and not missing else []
        ctx.file("found.bzl", "FOUND = %s\nUNUSED = %s\n" % (missing == None, unused))
    ctx.file("WORKSPACE", "")
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "Links a system library's headers, libraries and programs into a repository, below include/, lib/ and bin/.",
    local = True,
    configure = True,
    environ = ["PKG_CONFIG_PATH", "PATH", "SYNAP_SYSROOT"],
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True, doc = "The repository's BUILD file."),
        "headers": attr.string_list(doc = "Headers and folders of headers, relative to the include folder; python3 is that of any version."),
        "optional": attr.bool(doc = "A missing library is no error: found.bzl says FOUND = False."),
        "package": attr.string(mandatory = True, doc = "Debian's package, named in the message when it is missing."),
        "pkg_config": attr.string(doc = "The pkg-config module that tells the folders; empty: the known ones."),
        "programs": attr.string_list(doc = "Programs, looked up in PATH."),
        "shared_libraries": attr.string_list(doc = "Names of shared libraries, without lib and .so; absl_* for all that begin so."),
        "static_libraries": attr.string_list(doc = "Names of static libraries, without lib and .a; absl_* for all that begin so."),
        "unused": attr.string_list(doc = "Of an optional library: names of libraries that the shared ones are linked with and take nothing from; opencv_* for all that begin so. found.bzl lists their sonames as UNUSED."),
    },
)
