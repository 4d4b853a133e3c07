"""Shared libraries of this repository's code.

Most builds make nothing but programs, so .bazelrc has each source compiled for programs alone. What a shared library is made of is
compiled a second time, as position-independent code, when the library is asked for.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

_SETTINGS = ["//command_line_option:copt", "//command_line_option:features"]

def _position_independent_impl(settings, _attr):
    return {
        # Nobody replaces the library's functions one by one, so they may be inlined into each other as they are in programs.
        "//command_line_option:copt": settings["//command_line_option:copt"] + ["-fno-semantic-interposition"],
        "//command_line_option:features": [
            feature
            for feature in settings["//command_line_option:features"]
            if feature != "-supports_pic"
        ],
        "//command_line_option:force_pic": True,
    }

position_independent = transition(
    implementation = _position_independent_impl,
    inputs = _SETTINGS,
    outputs = _SETTINGS + ["//command_line_option:force_pic"],
)

def _whole(ctx, cc_toolchain, features, library):
    """The library with all that it holds, whether something inside needs that or not."""
    return cc_common.create_library_to_link(
        actions = ctx.actions,
        alwayslink = True,
        cc_toolchain = cc_toolchain,
        feature_configuration = features,
        pic_static_library = library.pic_static_library,
    )

def _position_independent_library_impl(ctx):
    cc_toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        cc_toolchain = cc_toolchain,
        ctx = ctx,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    merged = cc_common.merge_cc_infos(direct_cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    inputs = [
        cc_common.create_linker_input(
            libraries = depset([
                _whole(ctx, cc_toolchain, features, library)
                for library in linker_input.libraries
                if library.pic_static_library
            ]),
            owner = linker_input.owner,
            user_link_flags = depset(linker_input.user_link_flags),
        )
        for linker_input in merged.linking_context.linker_inputs.to_list()
    ]
    # Named here rather than by Bazel, which would ask the loader for those as well that nothing is used of, and in its own folders.
    shared_libraries = [
        library.resolved_symlink_dynamic_library or library.dynamic_library
        for linker_input in merged.linking_context.linker_inputs.to_list()
        for library in linker_input.libraries
        if not library.pic_static_library
    ]
    linked = cc_common.link(
        actions = ctx.actions,
        additional_inputs = [ctx.file.version_script, ctx.file.options, ctx.file._compiler] + shared_libraries,
        cc_toolchain = cc_toolchain,
        feature_configuration = features,
        linking_contexts = [cc_common.create_linking_context(linker_inputs = depset(inputs, order = "topological"))],
        name = ctx.label.name,
        output_type = "dynamic_library",
        user_link_flags = [
            "-Wl,--version-script=" + ctx.file.version_script.path,
            "@" + ctx.file.options.path,
            "-Wl,-z,defs",
            # gold, which Bazel prefers, exports functions of libstdc++ that other libraries define too, whatever the script says.
            "-fuse-ld=bfd",
            "-Wl,--as-needed",
        ] + [library.path for library in shared_libraries],
    )
    library = linked.library_to_link.resolved_symlink_dynamic_library
    return [DefaultInfo(
        files = depset([library]),
        runfiles = ctx.runfiles(files = [library]),
    )]

position_independent_library = rule(
    implementation = _position_independent_library_impl,
    doc = "Links `lib<name>.so`. What it depends on is compiled as position-independent code and is part of it, but for shared libraries.",
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    attrs = {
        "deps": attr.label_list(
            mandatory = True,
            cfg = position_independent,
            doc = "The libraries that it consists of.",
            providers = [CcInfo],
        ),
        "options": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "A file with options of the linker.",
        ),
        "version_script": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The symbols that it exports.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        "_compiler": attr.label(
            default = "//third_party:compiler",
            allow_single_file = True,
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
)
