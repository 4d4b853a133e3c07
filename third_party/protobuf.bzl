"""C++ from protocol buffers."""

load("//rules/private:copts.bzl", "LANGUAGE_COPTS")
load(":source_root.bzl", "output_root", "source_root")

_PROTOBUF_ROOT = Label("@system_protobuf//:well_known_protos").workspace_root

def protobuf_cc_library(name, srcs, deps = [], includes = [], **kwargs):
    """Compiles .proto files with Debian's protoc: `dir/x.proto` becomes `#include "dir/x.pb.h"`.

    Args:
      name: the cc_library's name.
      srcs: .proto files of this package, which import each other by their path from the repository's root.
      deps: protobuf_cc_library targets whose headers the generated ones include.
      includes: labels of the .proto files of other packages that srcs import.
      **kwargs: passed to cc_library (visibility, testonly, tags, ...).
    """
    headers = [src[:-len(".proto")] + ".pb.h" for src in srcs]
    sources = [src[:-len(".proto")] + ".pb.cc" for src in srcs]
    native.genrule(
        name = name + "_protoc",
        srcs = srcs + includes + ["//third_party:well_known_protos"],
        outs = headers + sources,
        cmd = " && ".join([
            "$(execpath //third_party:protoc) -I %s -I %s/include --cpp_out=%s " % (source_root(), _PROTOBUF_ROOT, output_root()) +
            " ".join(["$(execpath %s)" % src for src in srcs]),
        ] + [
            # Warnings in generated code can't be mended here.
            "sed -i '1i #pragma GCC system_header' $(execpath %s)" % header
            for header in headers
        ]),
        tools = [
            "//third_party:compiler",
            "//third_party:protoc",
        ],
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        copts = LANGUAGE_COPTS + ["-w"],
        linkstatic = True,
        deps = deps + ["//third_party:protobuf"],
        **kwargs
    )
