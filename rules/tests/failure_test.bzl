"""Attributes that a rule refuses, and with which sentence."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

_ATTRS = {"says": attr.string(mandatory = True, doc = "A part of the message.")}

def _failure_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, ctx.attr.says)
    return analysistest.end(env)

failure_test = analysistest.make(_failure_test_impl, attrs = _ATTRS, expect_failure = True)

# The same under --//rules:target=VS999.
failure_for_unknown_target_test = analysistest.make(
    _failure_test_impl,
    attrs = _ATTRS,
    config_settings = {"//rules:target": "VS999"},
    expect_failure = True,
)
