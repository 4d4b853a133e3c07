"""Programs and tests in Python, of the standard library only. The module a/b.py is imported as a.b."""

_RUN = "//rules/private:run_python.sh"

def _module(name):
    return "%s.%s" % (native.package_name().replace("/", "."), name)

def python_program(name, modules = [], args = [], data = [], **kwargs):
    """A program for `bazel run`: the module `<name>.py` as __main__.

    Args:
      name: the target's name.
      modules: the other .py files that it imports.
      args: arguments before those of the command line.
      data: files read at run time.
      **kwargs: passed to sh_binary (visibility, ...).
    """
    native.sh_binary(
        name = name,
        srcs = [_RUN],
        args = [_module(name)] + args,
        data = [name + ".py"] + modules + data,
        **kwargs
    )

def python_test(name, files = [], modules = [], args = [], data = [], size = "small", **kwargs):
    """A test, the module `<name>.py` as __main__, which runs in the runfiles' folder of this repository.

    Args:
      name: the test's name, which ends in _test.
      files: labels of programs and files whose paths are its arguments.
      modules: the other .py files that it imports.
      args: further arguments.
      data: other files read at run time.
      size: small (60 s), medium (300 s) or large (900 s).
      **kwargs: passed to sh_test (tags, visibility, ...).
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = [_RUN],
        args = [_module(name)] + ["$(rootpaths %s)" % label for label in files] + args,
        data = [name + ".py"] + modules + files + data,
        **kwargs
    )
