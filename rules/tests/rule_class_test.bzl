"""The names by which queries find targets."""

RuleClassInfo = provider(doc = "The class of a target's rule.", fields = {"name": "string."})

def _rule_class_aspect_impl(target, ctx):
    return [RuleClassInfo(name = ctx.rule.kind)]

_rule_class_aspect = aspect(implementation = _rule_class_aspect_impl, doc = "Tells the class of a target's rule.")

def _rule_class_test_impl(ctx):
    lines = ["#!/bin/sh"]
    for target, expected in ctx.attr.classes.items():
        found = target[RuleClassInfo].name
        if found != expected:
            lines.append("echo '%s is a %s, expected a %s'; failed=1" % (target.label, found, expected))
    lines.append("exit ${failed:-0}")
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, "\n".join(lines) + "\n", is_executable = True)
    return [DefaultInfo(executable = script)]

rule_class_test = rule(
    implementation = _rule_class_test_impl,
    doc = "Passes if `bazel query 'kind(\"^<class> rule$\", ...)'` finds the targets.",
    attrs = {
        "classes": attr.label_keyed_string_dict(aspects = [_rule_class_aspect], doc = "Targets, each with the class of its rule."),
    },
    test = True,
)
