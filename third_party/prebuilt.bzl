"""cc_library over what system_library linked into a repository."""

def prebuilt_cc_library(
        name,
        headers = [],
        exclude = [],
        include_folders = [],
        shared_libraries = [],
        static_libraries = [],
        deps = [],
        **kwargs):
    """A library whose headers and binaries are already there.

    Args:
      name: the target's name.
      headers: patterns of the headers, relative to the repository's include folder.
      exclude: patterns of headers that belong to another target.
      include_folders: folders below the include folder that headers are included from as well.
      shared_libraries: names of shared libraries, without lib and .so.
      static_libraries: names of static libraries, without lib and .a.
      deps: what its headers include and its binaries need.
      **kwargs: passed to cc_library.
    """
    srcs = []
    for library in shared_libraries:
        srcs += native.glob(["lib/lib%s.so*" % library])
    for library in static_libraries:
        srcs.append("lib/lib%s.a" % library)
    native.cc_library(
        name = name,
        srcs = srcs,
        hdrs = native.glob(
            ["include/" + pattern for pattern in headers] + ["include_machine/" + pattern for pattern in headers],
            exclude = ["include/" + pattern for pattern in exclude],
        ),
        includes = (["include", "include_machine"] if headers else []) + ["include/" + folder for folder in include_folders],
        features = ["-layering_check"],
        deps = deps,
        **kwargs
    )
