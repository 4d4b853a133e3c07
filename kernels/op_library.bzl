"""op_library: the targets of one op folder."""

load("//rules/private:cc.bzl", "synap_cc_benchmark", "synap_cc_library", "synap_cc_test")

def op_library(name, extra_srcs = [], extra_hdrs = [], deps = [], test_deps = [], benchmark_deps = [], reference = True, simd = True):
    """Library, conformance test and microbenchmark of the op in this folder.

    Expects <name>.h, <name>.cc, <name>_reference.cc, <name>_simd.cc,
    <name>_test.cc and <name>_benchmark.cc; reference and SIMD source are
    left out if the op is a memcpy, or a loop that another library owns.

    Args:
      name: the folder's name.
      extra_srcs: further sources of the library (a micro-kernel, say).
      extra_hdrs: further headers.
      deps: dependencies of the library besides //base, //kernels:op_def and Highway.
      test_deps: dependencies of the test besides the library and the conformance harness.
      benchmark_deps: dependencies of the benchmark besides the library and bench_op.
      reference: whether there is <name>_reference.cc.
      simd: whether there is <name>_simd.cc.
    """
    loops = ([name + "_reference.cc"] if reference else []) + ([name + "_simd.cc"] if simd else [])
    synap_cc_library(
        name = name,
        srcs = [name + ".cc"] + loops + extra_srcs,
        hdrs = [name + ".h"] + extra_hdrs,
        visibility = ["//visibility:public"],
        deps = [
            "//base",
            "//kernels:attributes",
            "//kernels:op_def",
            "//third_party:absl",
            "//third_party:highway",
        ] + deps,
    )
    synap_cc_test(
        name = name + "_test",
        srcs = [name + "_test.cc"],
        deps = [
            ":" + name,
            "//base",
            "//kernels:op_def",
            "//kernels/testing:conformance",
        ] + test_deps,
    )
    synap_cc_benchmark(
        name = name + "_benchmark",
        srcs = [name + "_benchmark.cc"],
        test = False,  # //benchmarks:kernels_test
        deps = [
            ":" + name,
            "//kernels:op_def",
            "//kernels/testing:bench_op",
        ] + benchmark_deps,
    )

def op_folders_header(name, out, folders):
    """Generates the header with the table of op folders from the list.

    Args:
      name: target name.
      out: the header.
      folders: OP_FOLDERS. Folder `conv2d` exports `Conv2dOps()`.
    """
    functions = ["".join([w.capitalize() for w in f.split("_")]) + "Ops" for f in folders]
    lines = ["// Generated from kernels/ops.bzl.", "#ifndef KERNELS_OP_FOLDERS_H_", "#define KERNELS_OP_FOLDERS_H_"]
    lines += ["#include \"kernels/%s/%s.h\"" % (f, f) for f in folders]
    lines += ["namespace synap_internal {", "inline constexpr absl::Span<const OpDef> (*kOpFolders[])() = {"]
    lines += ["    &%s," % f for f in functions]
    lines += ["};", "}  // namespace synap_internal", "#endif  // KERNELS_OP_FOLDERS_H_"]
    native.genrule(
        name = name,
        outs = [out],
        cmd = "cat > $@ <<'EOF'\n" + "\n".join(lines) + "\nEOF",
    )
