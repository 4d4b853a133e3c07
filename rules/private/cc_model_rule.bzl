"""The rules of cc_model.bzl and of synap_py_model. They have the names that users write: `bazel query 'kind(synap_cc_model, //...)'`."""

load(":metafile.bzl", "complain")
load(":providers.bzl", "SynapModelInfo")

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

def _is_identifier(text):
    return bool(text) and text[0] in _LETTERS and not [c for c in text.elems() if c not in _LETTERS + "0123456789"]

_HEADER = """// {label}, a model for {target}.
#ifndef {guard}
#define {guard}

#include <{standard}>

namespace {namespace} {{

{comment}
{result} {name}();

}}  // namespace {namespace}

#endif  // {guard}
"""

_BYTES_COMMENT = """// The model's bytes, a part of the program: they begin at a multiple of 64. For Network::load_model(data, size)."""

_PATH_COMMENT = """// The path of the model's .synap file among the program's runfiles, for Network::load_model(path). If the file isn't there,
// the path that it would have in the working directory of `bazel run`."""

# An assembler's comments and types differ between processors; what stands here is the same for all of them.
_ASSEMBLY = """    .section .rodata.{symbol},"a",%progbits
    .balign 64
    .globl {symbol}_begin
    .hidden {symbol}_begin
    .type {symbol}_begin, %object
{symbol}_begin:
    .incbin "{path}"
    .globl {symbol}_end
    .hidden {symbol}_end
    .type {symbol}_end, %object
{symbol}_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
"""

_BYTES = """#include "{header}"

#include <cstddef>

extern "C" {{
extern const char {symbol}_begin[] __attribute__((visibility("hidden")));
extern const char {symbol}_end[] __attribute__((visibility("hidden")));
}}

std::string_view {namespace}::{name}() {{
  return {{{symbol}_begin, static_cast<std::size_t>({symbol}_end - {symbol}_begin)}};
}}
"""

def _among_runfiles(ctx, file):
    """The path of a file below the folder of all runfiles: "workspace/package/file"."""
    path = file.short_path
    return path[len("../"):] if path.startswith("../") else ctx.workspace_name + "/" + path

def _header_path(ctx):
    """As an #include has it: from the root of the workspace that the target is in."""
    return "/".join([part for part in [ctx.label.package, ctx.attr.library + ".h"] if part])

def _write_header(ctx, standard, comment, result):
    header = ctx.actions.declare_file(ctx.attr.library + ".h")
    path = _header_path(ctx)
    ctx.actions.write(header, _HEADER.format(
        comment = comment,
        guard = "".join([c if _is_identifier("_" + c) else "_" for c in path.upper().elems()]) + "_",
        label = "//%s:%s" % (ctx.attr.model.label.package, ctx.attr.model.label.name),
        name = ctx.attr.library,
        namespace = ctx.attr.namespace,
        result = result,
        standard = standard,
        target = ctx.attr.model[SynapModelInfo].target,
    ))
    return header

def _embedded_sources(ctx, model):
    header = _write_header(ctx, "string_view", _BYTES_COMMENT, "std::string_view")
    symbol = "synap_model_%s_%s" % (ctx.attr.namespace.replace("::", "_"), ctx.attr.library)
    assembly = ctx.actions.declare_file(ctx.attr.library + "_bytes.s")
    ctx.actions.write(assembly, _ASSEMBLY.format(path = model.path, symbol = symbol))
    source = ctx.actions.declare_file(ctx.attr.library + ".cc")
    ctx.actions.write(source, _BYTES.format(
        header = _header_path(ctx),
        name = ctx.attr.library,
        namespace = ctx.attr.namespace,
        symbol = symbol,
    ))
    return [header], [source, assembly]

def _path_sources(ctx, model):
    header = _write_header(ctx, "string", _PATH_COMMENT, "std::string")
    source = ctx.actions.declare_file(ctx.attr.library + ".cc")
    ctx.actions.expand_template(
        template = ctx.file._path_template,
        output = source,
        substitutions = {
            "{FUNCTION}": ctx.attr.namespace + "::" + ctx.attr.library,
            "{HEADER}": _header_path(ctx),
            "{LABEL}": "//%s:%s" % (ctx.attr.model.label.package, ctx.attr.model.label.name),
            "{PATH}": _among_runfiles(ctx, model),
        },
    )
    return [header], [source]

def _check(ctx):
    if not _is_identifier(ctx.attr.library):
        complain(ctx, "the name becomes that of a function, and %s can't be one; write a name of letters, digits and _" % ctx.attr.library)
    for part in ctx.attr.namespace.split("::"):
        if not _is_identifier(part):
            complain(ctx, "namespace = \"%s\"; write names of letters, digits and _, with :: between them" % ctx.attr.namespace)

def _synap_cc_model_impl(ctx):
    _check(ctx)
    model = ctx.attr.model[SynapModelInfo].synap
    headers, sources = _embedded_sources(ctx, model) if ctx.attr.embedded else _path_sources(ctx, model)
    return [
        DefaultInfo(files = depset(headers + sources)),
        OutputGroupInfo(checks = depset(ctx.attr.model[SynapModelInfo].checks), headers = depset(headers), sources = depset(sources)),
    ]

synap_cc_model = rule(
    implementation = _synap_cc_model_impl,
    doc = "The sources of a C++ library with a model; see the macro synap_cc_model.",
    attrs = {
        "embedded": attr.bool(),
        "library": attr.string(),
        "model": attr.label(mandatory = True, providers = [SynapModelInfo]),
        "namespace": attr.string(),
        "_path_template": attr.label(default = "//rules/private:model_path.cc.tpl", allow_single_file = True),
        "_rule": attr.string(default = "synap_cc_model"),
    },
)

_MODULE = '''"""{label}, a model for {target}."""

import os


def path():
    """The path of the model's .synap file among the program's runfiles."""
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "{way}"))
'''

def _synap_py_model_impl(ctx):
    if not _is_identifier(ctx.label.name):
        complain(ctx, "the name becomes that of a module, and %s can't be one; write a name of letters, digits and _" % ctx.label.name)
    info = ctx.attr.model[SynapModelInfo]
    module = ctx.actions.declare_file(ctx.label.name + ".py")
    up = _among_runfiles(ctx, module).count("/")
    ctx.actions.write(module, _MODULE.format(
        label = "//%s:%s" % (ctx.attr.model.label.package, ctx.attr.model.label.name),
        target = info.target,
        way = "../" * up + _among_runfiles(ctx, info.synap),
    ))
    runfiles = ctx.runfiles([module]).merge(ctx.attr.model[DefaultInfo].default_runfiles)
    return [DefaultInfo(files = depset([module]), runfiles = runfiles)]

synap_py_model = rule(
    implementation = _synap_py_model_impl,
    doc = """A model as a Python module <name>.py with a function path(), for the `srcs` of a py_library or the `data` of anything else.

```
synap_py_model(
    name = "faces_model",
    model = ":faces",
)

# from team.faces_model import path
# network = synap.Network(path())
py_binary(
    name = "find_faces",
    srcs = ["find_faces.py", ":faces_model"],
    data = [":faces"],
)
```""",
    attrs = {
        "model": attr.label(mandatory = True, providers = [SynapModelInfo], doc = "A synap_model."),
        "_rule": attr.string(default = "synap_py_model"),
    },
)
