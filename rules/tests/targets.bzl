"""Tables of targets."""

load(":failure_test.bzl", "failure_test")

def targets(rule, rows, **common):
    """Declares a target of the rule for each row.

    Args:
      rule: the rule or macro.
      rows: each target's name to its attributes.
      **common: the attributes of all.
    """
    for name, attributes in rows.items():
        rule(name = name, **dict(common, **attributes))

def refused(rule, rows):
    """Declares targets that the rule refuses, and their tests.

    Args:
      rule: the rule or macro.
      rows: each test's name to its target's attributes, and what the error `says`.
    """
    for test, row in rows.items():
        attributes = dict(row, tags = ["manual"])
        failure_test(
            name = test,
            says = attributes.pop("says"),
            target_under_test = ":" + row["name"],
        )
        rule(**attributes)
