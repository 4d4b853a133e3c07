"""Every external repository, found on this machine: a build needs no network."""

load(":bazel_repositories.bzl", "bazel_repositories")
load(":host_synap.bzl", "host_synap")
load(":system_files.bzl", "system_files")
load(":system_inputs.bzl", "system_inputs")
load(":system_library.bzl", "system_library")

# The name that build files of the other repositories know this one by.
_NAME = "synap"

_OWN_KINDS = ["host_synap", "system_files", "system_inputs", "system_library"]

def _declare(rule, name, **kwargs):
    """Declares a repository of our own. One of the same name and another kind would be compiled and linked in its place."""
    existing = native.existing_rule(name)
    if not existing:
        rule(name = name, **kwargs)
    elif existing["kind"] not in _OWN_KINDS:
        fail("WORKSPACE declares a %s named %s, a name that synap needs for a repository of its own; call yours by another name" %
             (existing["kind"], name))

def synap_dependencies():
    """Declares the repositories behind the aliases in //third_party, and those that Bazel itself asks for.

    Those that Bazel asks for (rules_cc, platforms, ...) are left as they are where the workspace has declared them before.
    """
    name = Label("//third_party:BUILD.bazel").workspace_name
    if name not in ["", _NAME]:
        fail("this repository is loaded as @%s; write local_repository(name = \"%s\", ...)" % (name, _NAME))
    bazel_repositories()

    # --config=aarch64 alone asks for it.
    _declare(host_synap, name = "host_synap")

    _declare(system_inputs, name = "system_libraries", kind = "libraries")

    # flatc and protoc make sources.
    _declare(system_inputs, name = "system_compiler", kind = "compiler", programs = ["flatc", "protoc"])

    _declare(
        system_library,
        name = "system_absl",
        package = "libabsl-dev",
        build_file = Label("//third_party:absl.BUILD"),
        pkg_config = "absl_base",
        headers = ["absl"],
        shared_libraries = ["absl_*"],
        static_libraries = ["absl_*"],
    )
    _declare(
        system_library,
        name = "system_protobuf",
        package = "libprotobuf-dev",
        build_file = Label("//third_party:protobuf.BUILD"),
        pkg_config = "protobuf",
        headers = ["google/protobuf"],
        shared_libraries = ["protobuf"],
    )
    _declare(
        system_library,
        name = "system_protoc",
        package = "protobuf-compiler",
        build_file = Label("//third_party:tool.BUILD"),
        programs = ["protoc"],
    )
    _declare(
        system_library,
        name = "system_onnx",
        package = "libonnx-dev",
        build_file = Label("//third_party:onnx.BUILD"),
        headers = ["onnx"],
        shared_libraries = ["onnx_proto"],
    )
    _declare(
        system_files,
        name = "system_onnx_testdata",
        package = "libonnx-testdata",
        build_file = Label("//third_party:onnx_testdata.BUILD"),
        folder = "/usr/share/libonnx-testdata/data",
    )
    _declare(
        system_library,
        name = "system_flatbuffers",
        package = "libflatbuffers-dev",
        build_file = Label("//third_party:flatbuffers.BUILD"),
        pkg_config = "flatbuffers",
        headers = ["flatbuffers"],
    )
    _declare(
        system_library,
        name = "system_flatc",
        package = "flatbuffers-compiler",
        build_file = Label("//third_party:tool.BUILD"),
        programs = ["flatc"],
    )
    _declare(
        system_library,
        name = "system_highway",
        package = "libhwy-dev",
        build_file = Label("//third_party:highway.BUILD"),
        pkg_config = "libhwy",
        headers = ["hwy"],
        shared_libraries = ["hwy"],
    )
    _declare(
        system_library,
        name = "system_jpeg",
        package = "libjpeg-dev",
        build_file = Label("//third_party:jpeg.BUILD"),
        pkg_config = "libjpeg",
        headers = ["jconfig.h", "jerror.h", "jmorecfg.h", "jpegint.h", "jpeglib.h"],
        shared_libraries = ["jpeg"],
    )
    _declare(
        system_library,
        name = "system_eigen",
        package = "libeigen3-dev",
        build_file = Label("//third_party:eigen.BUILD"),
        pkg_config = "eigen3",
        headers = ["eigen3/Eigen"],
    )
    _declare(
        system_library,
        name = "system_spng",
        package = "libspng-dev",
        build_file = Label("//third_party:spng.BUILD"),
        pkg_config = "spng",
        headers = ["spng.h"],
        shared_libraries = ["spng"],
    )
    _declare(
        system_library,
        name = "system_yaml_cpp",
        package = "libyaml-cpp-dev",
        build_file = Label("//third_party:yaml_cpp.BUILD"),
        pkg_config = "yaml-cpp",
        headers = ["yaml-cpp"],
        shared_libraries = ["yaml-cpp"],
    )
    _declare(
        system_library,
        name = "system_nlohmann_json",
        package = "nlohmann-json3-dev",
        build_file = Label("//third_party:nlohmann_json.BUILD"),
        pkg_config = "nlohmann_json",
        headers = ["nlohmann"],
    )
    _declare(
        system_library,
        name = "system_cli11",
        package = "libcli11-dev",
        build_file = Label("//third_party:cli11.BUILD"),
        pkg_config = "CLI11",
        headers = ["CLI"],
    )
    _declare(
        system_library,
        name = "system_libzip",
        package = "libzip-dev",
        build_file = Label("//third_party:libzip.BUILD"),
        pkg_config = "libzip",
        headers = ["zip.h", "zipconf.h"],
        shared_libraries = ["zip"],
    )
    _declare(
        system_library,
        name = "system_libtorch",
        package = "libtorch-dev",
        build_file = Label("//third_party:libtorch.BUILD"),
        headers = ["ATen", "c10", "caffe2", "torch"],
        optional = True,
        shared_libraries = ["c10", "torch_cpu"],
        # Debian's libtorch_cpu names them for parts of Caffe2 that it leaves out. They bring 230 libraries more: Qt, GDAL, codecs.
        unused = ["avcodec", "avformat", "avutil", "leveldb", "lmdb", "opencv_*", "snappy", "swresample", "swscale", "zmq"],
    )
    _declare(
        system_library,
        name = "system_openssl",
        package = "libssl-dev",
        build_file = Label("//third_party:openssl.BUILD"),
        pkg_config = "libcrypto",
        headers = ["openssl"],
        shared_libraries = ["crypto"],
    )
    _declare(
        system_library,
        name = "system_python",
        package = "libpython3-dev",
        build_file = Label("//third_party:python.BUILD"),
        headers = ["python3"],
    )
    _declare(
        system_library,
        name = "system_pybind11",
        package = "pybind11-dev",
        build_file = Label("//third_party:pybind11.BUILD"),
        headers = ["pybind11"],
    )
    _declare(
        system_library,
        name = "system_gtest",
        package = "libgtest-dev",
        build_file = Label("//third_party:gtest.BUILD"),
        pkg_config = "gtest",
        headers = ["gtest"],
        static_libraries = ["gtest"],
    )
    _declare(
        system_library,
        name = "system_gmock",
        package = "libgmock-dev",
        build_file = Label("//third_party:gmock.BUILD"),
        pkg_config = "gmock",
        headers = ["gmock"],
        static_libraries = ["gmock", "gmock_main"],
    )
    _declare(
        system_library,
        name = "system_benchmark",
        package = "libbenchmark-dev",
        build_file = Label("//third_party:benchmark.BUILD"),
        pkg_config = "benchmark",
        headers = ["benchmark"],
        static_libraries = ["benchmark_main"],
        shared_libraries = ["benchmark"],
    )
