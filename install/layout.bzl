"""Where the files of an installation belong."""

def _destinations(place):
    """A file's places below the prefix, of which several are separated by blanks."""
    return place.split(" ")

def _install_archive_impl(ctx):
    lines = ["%s\t-> %s" % link for link in ctx.attr.links.items()]
    inputs = list(ctx.files.programs)
    lines += ["bin/\t" + program.path for program in ctx.files.programs]
    for target, place in ctx.attr.files.items():
        files = target[DefaultInfo].files.to_list()
        inputs += files
        lines += ["%s\t%s" % (destination, file.path) for file in files for destination in _destinations(place)]
    list_file = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(list_file, "\n".join(lines) + "\n")
    output = ctx.actions.declare_file(ctx.label.name + ".tar")
    ctx.actions.run(
        arguments = ["install.archive", output.path, ctx.file._version.path, list_file.path],
        executable = ctx.executable._python,
        inputs = inputs + ctx.files._modules + [ctx.file._version, list_file],
        mnemonic = "SynapInstallArchive",
        outputs = [output],
        progress_message = "Packing what is installed",
        use_default_shell_env = True,
    )
    return [DefaultInfo(
        files = depset([output]),
        runfiles = ctx.runfiles(files = [output]),
    )]

install_archive = rule(
    implementation = _install_archive_impl,
    doc = "Writes `<name>.tar`, with paths relative to the prefix; archive.py says what a place may be.",
    attrs = {
        "files": attr.label_keyed_string_dict(
            mandatory = True,
            allow_files = True,
            doc = "The places of each target's files: folders, which end with '/', or file names.",
        ),
        "links": attr.string_dict(doc = "Symbolic links: place to what it names."),
        "programs": attr.label_list(doc = "What belongs into bin/."),
        "_modules": attr.label_list(
            allow_files = True,
            default = ["//install:archive.py", "//install:elf.py"],
        ),
        "_python": attr.label(
            allow_single_file = True,
            cfg = "host",
            default = "//rules/private:run_python.sh",
            executable = True,
        ),
        "_version": attr.label(
            allow_single_file = True,
            default = "//base:version.h",
        ),
    },
)

def help_files(name, programs):
    """The manual pages and bash completions of programs, `<name>_man` and `<name>_completion`, made from their --help.

    Args:
      name: begins the names of both targets.
      programs: labels of the programs.
    """
    names = [program.split(":")[1] for program in programs]
    for kind, module, inputs, out in [
        ("man", "man_page", ["archive.py", "elf.py", "help_text.py", "man_page.py"], "man/%s.1"),
        ("completion", "bash_completion", ["bash_completion.py", "help_text.py"], "completion/%s"),
    ]:
        arguments = ["$(execpath %s) $(execpath %s)" % (program, out % names[i]) for i, program in enumerate(programs)]
        version = "$(execpath //base:version.h) " if kind == "man" else ""
        native.genrule(
            name = "%s_%s" % (name, kind),
            srcs = inputs + (["//base:version.h"] if version else []),
            outs = [out % program for program in names],
            cmd = "$(execpath //rules/private:run_python.sh) install.%s %s%s" % (module, version, " ".join(arguments)),
            tools = programs + ["//rules/private:run_python.sh"],
        )
