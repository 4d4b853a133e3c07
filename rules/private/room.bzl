"""room: a folder's library and its test program."""

load(":cc.bzl", "synap_cc_binary", "synap_cc_fuzz", "synap_cc_library", "synap_cc_test")

_NO_LIBRARY = ["*_benchmark.cc", "*_fuzz.cc", "*_main.cc", "*_test.cc", "make_corpus.cc"]

def room(
        name,
        deps = [],
        exclude = [],
        files = [],
        alone = [],
        separate_tests = [],
        threads_tests = [],
        test_deps = [],
        test_data = [],
        test_size = "small",
        testing = None,
        fuzz_corpus = None,
        fuzz_mutator = None,
        testonly = False,
        **kwargs):
    """A folder: one library of its sources and headers, `name`, and one test program of its *_test.cc, `<name>_test`.

    `tests` are the sources of all its tests. A make_corpus.cc is a program of its own, which writes the inputs of its fuzz target.

    A source whose name ends in _main, _benchmark, _fuzz or _test isn't the library's.

    Args:
      name: the folder's name.
      deps: every library whose headers the sources include.
      exclude: sources and headers that belong to another target of the folder.
      files: sources and headers of the library that lie elsewhere, or that the build makes.
      alone: sources that are compiled by themselves.
      separate_tests: tests that are programs of their own, declared beside the room.
      threads_tests: tests of what several threads do, which the thread sanitizer runs: `<name>_threads_test`.
      test_deps: libraries whose headers tests, `testing`, the fuzz target or make_corpus.cc include and the room doesn't.
      test_data: files that the tests read.
      test_size: small (60 s), medium (300 s) or large (900 s).
      testing: the source and the header, without .cc and .h, of the library `testing`, which tests share.
      fuzz_corpus: labels of the inputs that its one *_fuzz.cc replays (synap_cc_fuzz).
      fuzz_mutator: the library that changes inputs for it.
      testonly: whether the library is for tests.
      **kwargs: passed to the library (visibility, ...).
    """
    present = native.glob(["*"])
    for file in exclude + separate_tests + threads_tests + ([testing + ".h"] if testing else []):
        if file not in present:
            fail("room %s names %s, expected a file of its folder" % (name, file))
    shared = native.glob([testing + ".cc", testing + ".h"]) if testing else []
    headers = native.glob(["*.h"], exclude = exclude + shared) + [file for file in files if not file.endswith(".cc")]
    sources = native.glob(["*.cc"], exclude = _NO_LIBRARY + exclude + shared) + [file for file in files if file.endswith(".cc")]
    synap_cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        alone = alone,
        deps = deps,
        testonly = testonly,
        **kwargs
    )
    test_deps = [":" + name] + deps + test_deps
    if testing:
        synap_cc_library(
            name = "testing",
            testonly = True,
            srcs = [file for file in shared if file.endswith(".cc")],
            hdrs = [file for file in shared if file.endswith(".h")],
            deps = test_deps,
            **kwargs
        )
        test_deps = test_deps + [":testing"]
    tests = native.glob(["*_test.cc"], exclude = separate_tests + threads_tests)
    for suffix, srcs, tags in [("_test", tests, []), ("_threads_test", threads_tests, ["threads"])]:
        if srcs:
            synap_cc_test(
                name = name + suffix,
                size = test_size,
                srcs = srcs,
                data = test_data,
                tags = tags,
                deps = test_deps,
            )
    if fuzz_corpus:
        synap_cc_fuzz(
            name = native.glob(["*_fuzz.cc"])[0][:-len(".cc")],
            corpus = fuzz_corpus,
            mutator = fuzz_mutator,
            deps = test_deps,
        )
    if "make_corpus.cc" in present:
        synap_cc_binary(
            name = "make_corpus",
            testonly = True,
            deps = test_deps,
        )

    # Their sources, which docs/metafile.md and docs/commands.md name.
    named = native.glob(["*_test.cc", "*_test.py"])
    if named:
        native.filegroup(
            name = "tests",
            srcs = named,
            visibility = ["//:__subpackages__"],
        )
