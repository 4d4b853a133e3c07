"""synap_cc_model: a model as a C++ library, its bytes in the program, or its path at run time."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":cc_model_rule.bzl", sources_rule = "synap_cc_model")

def synap_cc_model(name, model, embedded = True, namespace = "models", tags = [], testonly = False, visibility = None):
    """A model as a C++ library: `#include "<package>/<name>.h"`, then `models::<name>()`.

    The function returns the model's bytes as a std::string_view, or the path of its file as a std::string. The compiler needs C++17.

    ```
    synap_cc_model(
        name = "faces_model",
        model = ":faces",
    )

    // auto bytes = models::faces_model();
    // net.load_model(bytes.data(), bytes.size());
    cc_binary(
        name = "find_faces",
        srcs = ["find_faces.cc"],
        deps = [":faces_model"],
    )
    ```

    Args:
      name: the library's name, and the function's.
      model: a synap_model.
      embedded: True: the bytes are a part of the program, by the assembler's .incbin. False: the file is among the program's runfiles,
        and the function finds it there under `bazel run`, in a test, and wherever the program's folder .runfiles is beside it.
      namespace: the function's namespace, as "team::models".
      tags: tags of the library.
      testonly: whether only tests may use it.
      visibility: who may use it.
    """
    common = {"tags": tags, "testonly": testonly}
    sources_rule(
        name = name + "_files",
        embedded = embedded,
        library = name,
        model = model,
        namespace = namespace,
        visibility = ["//visibility:private"],
        **common
    )
    for group in ["checks", "headers", "sources"]:
        native.filegroup(
            name = "%s_%s" % (name, group),
            srcs = [":%s_files" % name],
            output_group = group,
            visibility = ["//visibility:private"],
            **common
        )
    cc_library(
        name = name,
        srcs = [":%s_sources" % name],
        hdrs = [":%s_headers" % name],
        copts = ["-std=c++17"],
        # One archive: no shared library is made of it, for which it would have to be compiled otherwise.
        linkstatic = True,
        # What .incbin reads has to be an input of the assembler; so that a model that fails its checks is in no program, these are too.
        textual_hdrs = [model, ":%s_checks" % name] if embedded else [],
        data = [] if embedded else [model],
        visibility = visibility,
        **common
    )
