"""The chips that platforms can have: the targets of //compiler/target, in small letters."""

CHIPS = [
    "dvf120",
    "generic",
    "sl1620",
    "sl1640",
    "sl1680",
    "vs640",
    "vs680",
]
