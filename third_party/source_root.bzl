"""Where this repository's files lie when an action runs, whether it is the workspace that is built or is used by another one."""

def _below(folder):
    repository = native.repository_name().lstrip("@")
    return (folder + "/" if folder else "") + "external/" + repository if repository else folder or "."

def source_root():
    """The folder that paths of sources begin from, for use in a genrule's cmd.

    Returns:
      `.`, or `external/<repository>` from another workspace.
    """
    return _below("")

def output_root():
    """The folder that paths of generated files begin from, for use in a genrule's cmd.

    Returns:
      `$(GENDIR)`, or `$(GENDIR)/external/<repository>` from another workspace.
    """
    return _below("$(GENDIR)")
