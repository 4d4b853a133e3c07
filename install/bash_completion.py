"""bash_completion.py PROGRAM OUTPUT ...: writes the completion for bash of each program from its --help."""

import os
import sys

from install import help_text

# After an option with a value, and for arguments, bash completes file names (-o default).
_SCRIPT = """\
# Completion of {name} for bash, made from its --help.
_{name}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words="{words}"
{commands}  COMPREPLY=()
{condition}  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{name} {name}
"""


def long_names(options):
    """The options, without short names of those that have a long one."""
    return [entry.names[-1] for entry in options]


def script(name, program):
    main = help_text.read(program)
    commands = [entry.names[0] for entry in main.commands()]
    cases = ""
    if commands:
        lines = []
        for command in commands:
            options = long_names(help_text.read(program, command).options())
            lines.append('      %s) words="%s" ;;\n' % (command, " ".join(options)))
        cases = '  if ((COMP_CWORD > 1)); then\n    case ${COMP_WORDS[1]} in\n%s    esac\n  fi\n' % "".join(lines)
    words = " ".join(commands + long_names(main.options()))
    condition = "  [[ $current == -* ]]%s || return 0\n" % (" || ((COMP_CWORD == 1))" if commands else "")
    return _SCRIPT.format(name=name, words=words, commands=cases, condition=condition)


def main(arguments):
    for program, output in zip(arguments[::2], arguments[1::2]):
        with open(output, "w", encoding="utf-8") as file:
            file.write(script(os.path.basename(program), program))


if __name__ == "__main__":
    main(sys.argv[1:])
