"""target_table: the C++ form of targets.bzl."""

def _quoted(text):
    return "\"%s\"" % text

def _row(target):
    fields = [".name = " + _quoted(target.name)]
    fields.append(".aliases = {%s}" % ", ".join([_quoted(alias) for alias in target.aliases]))
    if target.npu:
        # A multiply-accumulate is two operations.
        fields.append(".has_npu = true")
        fields.append(".int8_macs_per_second = %de9 / 2" % target.npu.int8_gops)
        fields.append(".int16_macs_per_second = %de9 / 2" % target.npu.int16_gops)
        fields.append(".memory_bytes_per_second = %de6" % target.npu.memory_megabytes_per_second)
    return "    {%s}," % ", ".join(fields)

def target_table(name, out, targets, default):
    """Generates a header with MakeTargets(), all rows, and kDefaultTarget, a name.

    Args:
      name: target name.
      out: the header; it is included after compiler/target/target.h.
      targets: TARGETS of targets.bzl.
      default: DEFAULT_TARGET of targets.bzl.
    """
    lines = ["// Generated from compiler/target/targets.bzl.", "#ifndef COMPILER_TARGET_TARGET_TABLE_H_", "#define COMPILER_TARGET_TARGET_TABLE_H_"]
    lines += ["namespace synap_internal {", "inline std::vector<Target> MakeTargets() {", "  return {"]
    lines += [_row(target) for target in targets]
    lines += ["  };", "}", "inline constexpr char kDefaultTarget[] = %s;" % _quoted(default)]
    lines += ["}  // namespace synap_internal", "#endif  // COMPILER_TARGET_TARGET_TABLE_H_"]
    native.genrule(
        name = name,
        outs = [out],
        cmd = "cat > $@ <<'EOF'\n" + "\n".join(lines) + "\nEOF",
    )
