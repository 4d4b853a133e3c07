"""Every external repository, found on this machine: a build needs no network."""

load("//third_party:host_synap.bzl", "host_synap")
load("//third_party:system_files.bzl", "system_files")
load("//third_party:system_library.bzl", "system_library")

_ABSL_LIBRARIES = [
    "bad_any_cast_impl",
    "bad_optional_access",
    "bad_variant_access",
    "base",
    "city",
    "civil_time",
    "cord",
    "cord_internal",
    "cordz_functions",
    "cordz_handle",
    "cordz_info",
    "debugging_internal",
    "demangle_internal",
    "examine_stack",
    "exponential_biased",
    "failure_signal_handler",
    "graphcycles_internal",
    "hash",
    "hashtablez_sampler",
    "int128",
    "leak_check",
    "log_severity",
    "low_level_hash",
    "malloc_internal",
    "random_distributions",
    "random_internal_platform",
    "random_internal_pool_urbg",
    "random_internal_randen",
    "random_internal_randen_hwaes",
    "random_internal_randen_hwaes_impl",
    "random_internal_randen_slow",
    "random_internal_seed_material",
    "random_seed_gen_exception",
    "random_seed_sequences",
    "raw_hash_set",
    "raw_logging_internal",
    "spinlock_wait",
    "stacktrace",
    "status",
    "statusor",
    "str_format_internal",
    "strerror",
    "strings",
    "strings_internal",
    "symbolize",
    "synchronization",
    "throw_delegate",
    "time",
    "time_zone",
]

def synap_dependencies():
    """Declares the repositories behind the aliases in //third_party."""

    native.local_repository(name = "rules_cc", path = "third_party/stubs/rules_cc")
    native.local_repository(name = "remote_coverage_tools", path = "third_party/stubs/remote_coverage_tools")

    # Debian's copies of what Bazel would otherwise download.
    native.local_repository(name = "platforms", path = "/usr/share/bazel/tools/platforms")
    native.local_repository(name = "bazel_skylib", path = "/usr/share/bazel/tools/skylib")
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    native.local_repository(name = "rules_proto", path = "/usr/share/bazel/rules/proto")

    # --config=aarch64 alone asks for it.
    host_synap(name = "host_synap")

    system_library(
        name = "system_absl",
        package = "libabsl-dev",
        build_file = "//third_party:absl.BUILD",
        pkg_config = "absl_base",
        headers = ["absl"],
        shared_libraries = ["absl_" + library for library in _ABSL_LIBRARIES],
    )
    system_library(
        name = "system_protobuf",
        package = "libprotobuf-dev",
        build_file = "//third_party:protobuf.BUILD",
        pkg_config = "protobuf",
        headers = ["google/protobuf"],
        shared_libraries = ["protobuf"],
    )
    system_library(
        name = "system_protoc",
        package = "protobuf-compiler",
        build_file = "//third_party:tool.BUILD",
        programs = ["protoc"],
    )
    system_library(
        name = "system_onnx",
        package = "libonnx-dev",
        build_file = "//third_party:onnx.BUILD",
        headers = ["onnx"],
        shared_libraries = ["onnx_proto"],
    )
    system_files(
        name = "system_onnx_testdata",
        package = "libonnx-testdata",
        build_file = "//third_party:onnx_testdata.BUILD",
        folder = "/usr/share/libonnx-testdata/data",
    )
    system_library(
        name = "system_flatbuffers",
        package = "libflatbuffers-dev",
        build_file = "//third_party:flatbuffers.BUILD",
        pkg_config = "flatbuffers",
        headers = ["flatbuffers"],
        shared_libraries = ["flatbuffers"],
    )
    system_library(
        name = "system_flatc",
        package = "flatbuffers-compiler",
        build_file = "//third_party:tool.BUILD",
        programs = ["flatc"],
    )
    system_library(
        name = "system_highway",
        package = "libhwy-dev",
        build_file = "//third_party:highway.BUILD",
        pkg_config = "libhwy",
        headers = ["hwy"],
        shared_libraries = ["hwy", "hwy_contrib", "hwy_test"],
    )
    system_library(
        name = "system_jpeg",
        package = "libjpeg62-turbo-dev",
        build_file = "//third_party:jpeg.BUILD",
        pkg_config = "libjpeg",
        headers = ["jconfig.h", "jerror.h", "jmorecfg.h", "jpegint.h", "jpeglib.h"],
        shared_libraries = ["jpeg"],
    )
    system_library(
        name = "system_spng",
        package = "libspng-dev",
        build_file = "//third_party:spng.BUILD",
        pkg_config = "spng",
        headers = ["spng.h"],
        shared_libraries = ["spng"],
    )
    system_library(
        name = "system_yaml_cpp",
        package = "libyaml-cpp-dev",
        build_file = "//third_party:yaml_cpp.BUILD",
        pkg_config = "yaml-cpp",
        headers = ["yaml-cpp"],
        shared_libraries = ["yaml-cpp"],
    )
    system_library(
        name = "system_nlohmann_json",
        package = "nlohmann-json3-dev",
        build_file = "//third_party:nlohmann_json.BUILD",
        pkg_config = "nlohmann_json",
        headers = ["nlohmann"],
    )
    system_library(
        name = "system_cli11",
        package = "libcli11-dev",
        build_file = "//third_party:cli11.BUILD",
        pkg_config = "CLI11",
        headers = ["CLI"],
    )
    system_library(
        name = "system_libzip",
        package = "libzip-dev",
        build_file = "//third_party:libzip.BUILD",
        pkg_config = "libzip",
        headers = ["zip.h", "zipconf.h"],
        shared_libraries = ["zip"],
    )
    system_library(
        name = "system_libtorch",
        package = "libtorch-dev",
        build_file = "//third_party:libtorch.BUILD",
        headers = ["ATen", "c10", "caffe2", "torch"],
        optional = True,
        shared_libraries = ["c10", "torch_cpu"],
    )
    system_library(
        name = "system_openssl",
        package = "libssl-dev",
        build_file = "//third_party:openssl.BUILD",
        pkg_config = "libcrypto",
        headers = ["openssl"],
        shared_libraries = ["crypto"],
    )
    system_library(
        name = "system_gtest",
        package = "libgtest-dev",
        build_file = "//third_party:gtest.BUILD",
        pkg_config = "gtest",
        headers = ["gtest"],
        static_libraries = ["gtest"],
    )
    system_library(
        name = "system_gmock",
        package = "libgmock-dev",
        build_file = "//third_party:gmock.BUILD",
        pkg_config = "gmock",
        headers = ["gmock"],
        static_libraries = ["gmock", "gmock_main"],
    )
    system_library(
        name = "system_benchmark",
        package = "libbenchmark-dev",
        build_file = "//third_party:benchmark.BUILD",
        pkg_config = "benchmark",
        headers = ["benchmark"],
        static_libraries = ["benchmark_main"],
        shared_libraries = ["benchmark"],
    )
