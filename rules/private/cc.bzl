"""The C++ rules of this repository: warnings, features and test libraries are decided here, once."""

load(":copts.bzl", "COMPILER_COPTS", "LANGUAGE_COPTS")
load(":units.bzl", "units")

_COPTS = LANGUAGE_COPTS + [
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wimplicit-fallthrough",
    "-Wvla",
    "-Wno-sign-compare",
    # Attribute structs are written with designated initializers; what is left out keeps its default.
    "-Wno-missing-field-initializers",
    # Highway's per-target functions are not all used in every file, and gcc says so about templates.
    "-Wno-unused-function",
    # Constants in headers (gcc reports the attributes of vector types as template arguments).
    "-Wno-ignored-attributes",
]

_C_COPTS = COMPILER_COPTS + ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wstrict-prototypes", "-Werror"]

_FEATURES = ["layering_check"]

# What the linker adds that no target declares.
_LINKER_INPUTS = ["//third_party:compiler"]

# What programs load that no target declares.
_TEST_DATA = ["//third_party:libraries"]

# Folders whose code runs once for each op, field or option: half the optimizer's passes spare a quarter of the compilation, and their users feel
# none of it. With that half, gcc is wrong about what is uninitialized. Importers also convert weights, element by element: with -O2,
# `synap_import_onnx import` takes 1 % (yolox_nano), 4 % (SqueezeNet_fp16) and 2 % (shufflenet-v2-12-int8) fewer instructions, of 26 to 41 ms
# (valgrind --tool=callgrind).
_ONCE_FOR_EACH_OP = [
    "compiler/convert",
    "compiler/export",
    "compiler/import",
    "compiler/metafile",
    "compiler/report",
    "compiler/start",
    "models",
    "rules/checker",
    "runtime/cli",
    "runtime/security",
    "runtime/verify",
]

def _optimization(testonly):
    folder = native.package_name() + "/"
    if testonly:
        # Half of a first build's compilations are tests, which call once what others have optimized: without optimizing, gcc takes a fifth to
        # two fifths less time for them (docs/adr/0028-tests-are-not-optimized.md). Those of kernels compute what they compare.
        level = ["-O1", "-Wno-maybe-uninitialized"] if folder.startswith("kernels/") else ["-O0", "-U_FORTIFY_SOURCE"]
    elif any([folder.startswith(other + "/") for other in _ONCE_FOR_EACH_OP]):
        level = ["-O1", "-Wno-maybe-uninitialized"]
    else:
        return []
    return select({
        "//rules/private:optimized": level,
        "//conditions:default": [],
    })

def _copts(testonly = False):
    """The options of a target that is being declared."""
    copts = _COPTS + _optimization(testonly)
    if native.repository_name() != "@":
        # For another workspace, with a compiler that may warn about more, or of other names, a warning is no reason to fail.
        return ["-Wno-unknown-warning-option"] + copts
    return copts + select({
        # Its flow warnings are wrong about instrumented code.
        "//rules/private:gcc_sanitizer": [],
        "//conditions:default": ["-Werror"],
    })

def synap_cc_library(
        name,
        srcs = None,
        hdrs = None,
        deps = [],
        copts = [],
        features = [],
        linkstatic = True,
        alone = [],
        testonly = False,
        **kwargs):
    """A C++ library. Headers are included from the workspace's root.

    Args:
      name: the target's name.
      srcs: sources and private headers; by default name + ".cc", if there is one.
      hdrs: public headers; by default name + ".h", if there is one.
      deps: every library whose headers srcs or hdrs include (clang checks it).
      copts: compiler options after the repository's own.
      features: Bazel features beside the repository's own.
      linkstatic: leave it: one archive and one compilation instead of two.
      alone: sources that are compiled by themselves, not in a unit with others (units.bzl).
      testonly: whether it is for tests.
      **kwargs: passed to cc_library (visibility, defines, data, tags, textual_hdrs, alwayslink, ...).
    """
    native.cc_library(
        name = name,
        srcs = units(name, srcs if srcs != None else native.glob([name + ".cc"]), alone, testonly),
        hdrs = hdrs if hdrs != None else native.glob([name + ".h"]),
        copts = _copts(testonly) + copts,
        features = _FEATURES + features,
        linkstatic = linkstatic,
        testonly = testonly,
        deps = deps,
        **kwargs
    )

def synap_cc_binary(name, srcs = None, deps = [], copts = [], features = [], linkstatic = True, additional_linker_inputs = [], **kwargs):
    """A C++ program.

    Args:
      name: the target's and the program's name.
      srcs: sources; by default the one with main(), name + "_main.cc" or name + ".cc".
      deps: the libraries that it is made of.
      copts: compiler options after the repository's own.
      features: Bazel features beside the repository's own.
      linkstatic: links our own libraries into the program.
      additional_linker_inputs: files that linkopts name.
      **kwargs: passed to cc_binary (visibility, data, args, linkopts, ...).
    """
    native.cc_binary(
        name = name,
        srcs = srcs if srcs != None else (native.glob([name + "_main.cc"]) or native.glob([name + ".cc"])),
        copts = _copts() + copts,
        additional_linker_inputs = additional_linker_inputs + _LINKER_INPUTS,
        features = _FEATURES + features,
        linkstatic = linkstatic,
        deps = deps,
        **kwargs
    )

def synap_cc_test(
        name,
        srcs = None,
        deps = [],
        copts = [],
        data = [],
        features = [],
        size = "small",
        linkstatic = True,
        gtest_main = True,
        alone = [],
        **kwargs):
    """A GoogleTest test; GoogleTest, GoogleMock and their main() come by themselves.

    Args:
      name: the target's name, which ends in _test.
      srcs: sources; by default name + ".cc".
      deps: the libraries under test.
      copts: compiler options after the repository's own.
      data: files read at run time.
      features: Bazel features beside the repository's own.
      size: small (60 s), medium (300 s) or large (900 s).
      linkstatic: links our own libraries into the test.
      gtest_main: False for a test with a main() of its own.
      alone: sources that are compiled by themselves, not in a unit with others (units.bzl).
      **kwargs: passed to cc_test (args, tags, env, shard_count, ...). Tags: no-sanitizer leaves the test out of
        sanitizer builds, threads runs it under the thread sanitizer.
    """
    gtest = ["//third_party:gtest"] + (["//third_party:gtest_main"] if gtest_main else [])
    native.cc_test(
        name = name,
        srcs = units(name, srcs if srcs != None else [name + ".cc"], alone, testonly = True),
        copts = _copts(testonly = True) + copts,
        additional_linker_inputs = _LINKER_INPUTS,
        data = data + _TEST_DATA,
        features = _FEATURES + features,
        linkstatic = linkstatic,
        size = size,
        deps = depset(deps + gtest).to_list(),
        **kwargs
    )

def synap_cc_benchmark(
        name,
        srcs = None,
        deps = [],
        copts = [],
        data = [],
        args = [],
        tags = [],
        size = "small",
        benchmark_main = True,
        test = True,
        **kwargs):
    """A Google Benchmark program `name`, and `<name>_test`, which runs one iteration of each of its benchmarks.

    The benchmarks alone are `<name>_lib`, for programs that run those of several libraries. `//...` has the test and not the program.

    Args:
      name: the target's name, which ends in _benchmark.
      srcs: sources; by default name + ".cc".
      deps: the libraries that are measured.
      copts: compiler options after the repository's own.
      data: files read at run time.
      args: arguments of both the program under `bazel run` and the test.
      tags: tags of both.
      size: the test's size.
      benchmark_main: False for a program with a main() of its own.
      test: False for benchmarks that the test of another program runs.
      **kwargs: passed to both (visibility, ...).
    """
    srcs = srcs if srcs != None else [name + ".cc"]
    benchmark = ["//third_party:benchmark"] + (["//third_party:benchmark_main"] if benchmark_main else [])
    native.cc_library(
        name = name + "_lib",
        testonly = True,
        srcs = srcs,
        copts = _copts() + copts,
        features = _FEATURES,
        linkstatic = True,
        alwayslink = True,
        tags = tags,
        visibility = ["//benchmarks:__pkg__"],
        deps = deps + [d for d in benchmark if d not in deps],
    )
    native.cc_binary(
        name = name,
        testonly = True,
        additional_linker_inputs = _LINKER_INPUTS,
        args = args,
        data = data,
        features = _FEATURES,
        linkstatic = True,
        tags = tags + ["benchmark", "manual"],
        deps = [name + "_lib"],
        **kwargs
    )
    if not test:
        return
    native.cc_test(
        name = name + "_test",
        additional_linker_inputs = _LINKER_INPUTS,
        args = args + ["--benchmark_min_time=0"],
        data = data + _TEST_DATA,
        features = _FEATURES,
        linkstatic = True,
        size = size,
        tags = tags + ["benchmark"],
        deps = [name + "_lib"],
        **kwargs
    )

def synap_cc_fuzz(
        name,
        corpus,
        deps = [],
        mutator = None):
    """A libFuzzer target `name` (manual: `tools/fuzz`), and `<name>_corpus_test`, which replays a corpus.

    Args:
      name: the target's name, which ends in _fuzz; its source, name + ".cc", defines LLVMFuzzerTestOneInput.
      corpus: labels of the inputs to replay: files, or filegroups of files.
      deps: the libraries under test.
      mutator: a library with an LLVMFuzzerCustomMutator, for inputs with a structure that changes of bytes mostly break.
    """
    native.cc_library(
        name = name + "_lib",
        testonly = True,
        srcs = [name + ".cc"],
        copts = _copts(),
        features = _FEATURES,
        linkstatic = True,
        alwayslink = True,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    native.cc_binary(
        name = name,
        testonly = True,
        additional_linker_inputs = _LINKER_INPUTS,
        features = _FEATURES,
        linkopts = select({
            "//rules/private:fuzz": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        linkstatic = True,
        tags = ["manual"],
        deps = [name + "_lib"] + ([mutator] if mutator else []),
    )
    native.cc_test(
        name = name + "_corpus_test",
        srcs = ["//rules/private:fuzz_replay_main.cc"],
        copts = _copts(),
        additional_linker_inputs = _LINKER_INPUTS,
        args = ["$(rootpaths %s)" % label for label in corpus],
        data = corpus + _TEST_DATA,
        features = _FEATURES,
        linkstatic = True,
        size = "small",
        tags = ["fuzz"],
        deps = [name + "_lib"],
    )

def synap_c_binary(name, srcs, deps = [], **kwargs):
    """A program in C99.

    Args:
      name: the target's and the program's name.
      srcs: sources, .c files.
      deps: the libraries that it is made of; they may be of C++.
      **kwargs: passed to cc_binary (testonly, ...).
    """
    native.cc_binary(
        name = name,
        srcs = srcs,
        copts = _C_COPTS,
        additional_linker_inputs = _LINKER_INPUTS,
        linkstatic = True,
        deps = deps,
        **kwargs
    )

def synap_c_test(name, srcs, deps = [], data = [], size = "small", **kwargs):
    """A test in C99 with a main() of its own, which shows that a header is one of C.

    Args:
      name: the target's name, which ends in _test.
      srcs: sources, .c files.
      deps: the libraries under test; they may be of C++.
      data: files read at run time.
      size: small (60 s), medium (300 s) or large (900 s).
      **kwargs: passed to cc_test (args, tags, ...).
    """
    native.cc_test(
        name = name,
        srcs = srcs,
        copts = _C_COPTS,
        additional_linker_inputs = _LINKER_INPUTS,
        data = data + _TEST_DATA,
        linkstatic = True,
        size = size,
        deps = deps,
        **kwargs
    )
