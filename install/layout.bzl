"""Where the files of an installation belong."""

def merged(*parts):
    """Several dicts of the attribute `files` as one.

    Args:
      *parts: dicts of label to places.

    Returns:
      A dict.
    """
    files = {}
    for part in parts:
        files.update(part)
    return files

def below(folder, files):
    """Files whose places are all below a folder.

    Args:
      folder: ends with '/'.
      files: dict of label to places.

    Returns:
      A dict of the same labels.
    """
    return {label: " ".join([folder + place for place in _destinations(places)]) for label, places in files.items()}

def _destinations(place):
    """A file's places below the prefix, of which several are separated by blanks."""
    return place.split(" ")

def _shared_libraries(programs):
    """Of what programs need at run time the shared libraries, by name: each depends on its own link to the same file."""
    libraries = {}
    for program in programs:
        for file in program[DefaultInfo].default_runfiles.files.to_list():
            if ".so" in file.basename:
                libraries[file.basename] = file
    return [libraries[name] for name in sorted(libraries)]

def _install_archive_impl(ctx):
    lines = ["%s\t-> %s" % link for link in ctx.attr.links.items()]
    inputs = list(ctx.files.programs)
    lines += ["bin/\t" + program.path for program in ctx.files.programs]
    for target, place in ctx.attr.files.items():
        files = target[DefaultInfo].files.to_list()
        inputs += files
        lines += ["%s\t%s" % (destination, file.path) for file in files for destination in _destinations(place)]
    libraries = _shared_libraries(ctx.attr.libraries_of)
    inputs += libraries
    lines += ["lib/synap/\t" + library.path for library in libraries]
    list_file = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(list_file, "\n".join(lines) + "\n")
    output = ctx.actions.declare_file(ctx.label.name + (".tar.xz" if ctx.attr.folder else ".tar"))
    ctx.actions.run(
        arguments = [
            "install.archive",
            output.path,
            ctx.file._version.path,
            list_file.path,
            "lib/synap" if libraries else "",
            ctx.attr.folder,
        ],
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
    doc = "Writes `<name>.tar`, or `<name>.tar.xz` with a folder; archive.py says what a place may be.",
    attrs = {
        "folder": attr.string(doc = "A folder above everything, which ends with '/'. Without it all paths are relative to the prefix."),
        "files": attr.label_keyed_string_dict(
            mandatory = True,
            allow_files = True,
            doc = "The places of each target's files: folders, which end with '/', or file names.",
        ),
        "libraries_of": attr.label_list(doc = "Programs whose shared libraries belong into lib/synap/; those of bin/ and libexec/ look there first."),
        "links": attr.string_dict(doc = "Symbolic links: place to what it names."),
        "programs": attr.label_list(doc = "What belongs into bin/."),
        "_modules": attr.label_list(
            allow_files = True,
            default = ["//install:archive.py", "//install:elf.py"],
        ),
        "_python": attr.label(
            allow_single_file = True,
            cfg = "exec",
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
