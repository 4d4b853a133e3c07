"""Which actions differ between two models: what a change would run again."""

SynapActionsInfo = provider(
    doc = "The actions of a target and of what it was compiled from.",
    fields = {"actions": "dict: what an action is called (mnemonic and output) to what it runs, as text."},
)

def _without_configuration(path):
    """bazel-out/k8-opt-ST-1234/bin/x is the same file as bazel-out/k8-opt/bin/x, made under other options."""
    parts = path.split("/")
    if parts[0] == "bazel-out" and len(parts) > 3:
        parts[1] = "<configuration>"
    return "/".join(parts)

def _described(action):
    argv = [_without_configuration(argument) for argument in action.argv]
    inputs = sorted([_without_configuration(file.path) for file in action.inputs.to_list()])
    return "argv: %s\ninputs: %s\nenv: %s" % (" ".join(argv), " ".join(inputs), action.env)

def _actions_aspect_impl(target, ctx):
    actions = {}
    for dep in [getattr(ctx.rule.attr, "quantized", None)]:
        if dep and SynapActionsInfo in dep:
            actions.update(dep[SynapActionsInfo].actions)
    for action in target.actions:
        if action.mnemonic.startswith("Synap"):
            name = "%s %s" % (action.mnemonic, action.outputs.to_list()[0].basename)
            actions[name] = _described(action)
    return [SynapActionsInfo(actions = actions)]

synap_actions_aspect = aspect(
    implementation = _actions_aspect_impl,
    doc = "Collects the actions of the stages of a model.",
    attr_aspects = ["quantized"],
)

def _both_targets_impl(settings, attr):
    return {target: {"//rules:target": target} for target in ["VS640", "VS680"]}

_both_targets = transition(
    implementation = _both_targets_impl,
    inputs = [],
    outputs = ["//rules:target"],
)

def _differing(a, b):
    return sorted([name for name in depset(a.keys() + b.keys()).to_list() if a.get(name) != b.get(name)])

def _verdict(ctx, a, b):
    """A test that passes if exactly the expected actions differ."""
    differing = _differing(a, b)
    if differing == sorted(ctx.attr.expected):
        return "echo 'of %d actions these differ: %s'" % (len(a), ", ".join(differing))
    return "\n".join([
        "cat <<'END'",
        "expected to differ: " + ", ".join(sorted(ctx.attr.expected)),
        "differ: " + ", ".join(differing),
    ] + ["%s\n--- %s\n+++ %s" % (name, a.get(name), b.get(name)) for name in differing] + ["END", "exit 1"])

def _script(ctx, content):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, "#!/bin/sh\n%s\n" % content, is_executable = True)
    return [DefaultInfo(executable = script)]

def _target_diff_test_impl(ctx):
    one, other = [target[SynapActionsInfo].actions for target in ctx.split_attr.model.values()]
    return _script(ctx, _verdict(ctx, one, other))

target_diff_test = rule(
    implementation = _target_diff_test_impl,
    doc = "Passes if another --//rules:target changes exactly the expected actions of a model.",
    attrs = {
        "expected": attr.string_list(doc = "\"<mnemonic> <file name of the first output>\"."),
        "model": attr.label(mandatory = True, aspects = [synap_actions_aspect], cfg = _both_targets),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    test = True,
)

def _named_alike(actions, label, name):
    """Where the target's name begins a file's or a folder's."""
    return {
        key.replace(" " + label.name, " " + name): text.replace("/" + label.name, "/" + name)
        for key, text in actions.items()
    }

def _action_diff_test_impl(ctx):
    # Two targets can't have one name; what follows from it is no difference.
    before = _named_alike(ctx.attr.before[SynapActionsInfo].actions, ctx.attr.before.label, "<name>")
    after = _named_alike(ctx.attr.after[SynapActionsInfo].actions, ctx.attr.after.label, "<name>")
    return _script(ctx, _verdict(ctx, before, after))

action_diff_test = rule(
    implementation = _action_diff_test_impl,
    doc = "Passes if exactly the expected actions differ between two targets of a rule.",
    attrs = {
        "after": attr.label(mandatory = True, aspects = [synap_actions_aspect]),
        "before": attr.label(mandatory = True, aspects = [synap_actions_aspect]),
        "expected": attr.string_list(doc = "\"<mnemonic> <file name of the first output>\", the target's name as <name>."),
    },
    test = True,
)
