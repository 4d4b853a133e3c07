"""The programs that are installed in bin/, with a manual page and a completion made from their --help."""

PROGRAMS = [
    "//compiler/convert/cli:synap",
    "//runtime/cli:synap_cli",
    "//runtime/cli:synap_cli_ic",
    "//runtime/cli:synap_cli_ic2",
    "//runtime/cli:synap_cli_info",
    "//runtime/cli:synap_cli_ip",
    "//runtime/cli:synap_cli_nb",
    "//runtime/cli:synap_cli_od",
    "//runtime/cli:synap_cli_od2",
    "//runtime/cli:synap_init",
]
