"""embedded_files: texts of files, as a C++ source."""

def embedded_files(name, srcs, out, header, type, function):
    """A source that defines `std::vector<type> function()`: each file's name and text, in the order of the names.

    Args:
      name: the target's name.
      srcs: the files; none holds ")yaml" and a quotation mark after it.
      out: the source.
      header: the header that declares the function.
      type: a struct of a path, which is the file's name without folder, and a text.
      function: the function's name.
    """
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [out],
        cmd = "\n".join([
            "{",
            "  echo '#include \"%s\"'" % header,
            "  echo 'namespace synap_internal {'",
            "  echo 'std::vector<%s> %s() {'" % (type, function),
            "  echo '  return {'",
            "  for file in $(SRCS); do",
            "    echo \"{\\\"$$(basename $$file)\\\", R\\\"yaml($$(cat $$file)\"",
            "    echo ')yaml\"},'",
            "  done",
            "  echo '  };'",
            "  echo '}'",
            "  echo '}'",
            "} > $@",
        ]),
    )
