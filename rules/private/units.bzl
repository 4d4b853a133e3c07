"""units: sources that are compiled together, since most of a compilation reads headers that all of a folder's sources include."""

# More gain little: eight sources parse Abseil's headers once instead of eight times.
_SOURCES_PER_UNIT = 8

def _unit_impl(ctx):
    ctx.actions.run_shell(
        outputs = [ctx.outputs.out],
        inputs = ctx.files.srcs,
        arguments = [ctx.actions.args().add(ctx.outputs.out).add_all(ctx.files.srcs)],
        # Messages, assertions and debuggers name the source's own lines. An unnamed namespace of a test gets its file's name.
        command = """
out=$1
shift
for source; do
  stem=${source##*/}
  printf '#line 1 "%s"\n' "$source"
  case $source in
    *_test.cc) sed "s/^namespace {$/namespace ${stem%.cc} {/" "$source" ;;
    *) cat "$source" ;;
  esac
done >"$out"
""",
        mnemonic = "SynapUnit",
        progress_message = "Joining the sources of %{output}",
        execution_requirements = {"no-sandbox": "1", "no-remote": "1"},
    )

_unit = rule(
    implementation = _unit_impl,
    attrs = {
        "out": attr.output(mandatory = True),
        "srcs": attr.label_list(allow_files = [".cc"], mandatory = True),
    },
)

def _is_joined(source, alone):
    # A SIMD source includes itself once for each target.
    return source.endswith(".cc") and ":" not in source and source not in alone and not source.endswith("_simd.cc")

def units(name, srcs, alone = [], testonly = False):
    """Declares the units of a target that is being declared.

    The sources stand in a unit in the order of their names, one after the other, with their own lines' numbers. What they declare in unnamed
    namespaces, their macros and their using declarations meet. An include that only a neighbour has, tools/check_sources finds.

    Args:
      name: the target's name, with which the units' names begin.
      srcs: its sources and private headers.
      alone: those that are compiled by themselves.
      testonly: whether it is for tests.

    Returns:
      A value for the target's srcs.
    """
    for source in alone:
        if source not in srcs:
            fail("%s compiles %s alone, expected one of its sources" % (name, source))
    joined = sorted([source for source in srcs if _is_joined(source, alone)])
    count = (len(joined) + _SOURCES_PER_UNIT - 1) // _SOURCES_PER_UNIT
    if len(joined) < 2:
        return srcs
    out = [source for source in srcs if source not in joined]
    for i in range(count):
        unit = "%s_unit%d" % (name, i)
        _unit(
            name = unit,
            srcs = joined[len(joined) * i // count:len(joined) * (i + 1) // count],
            out = unit + ".cc",
            testonly = testonly,
            visibility = ["//visibility:private"],
        )
        out.append(unit + ".cc")
    return select({
        "//rules/private:single_sources": srcs,
        "//conditions:default": out,
    })
