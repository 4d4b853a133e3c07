"""target_golden_tests: a network, compiled for each target and held against a golden of its own."""

load("//rules:synap.bzl", "synap_golden_test", "synap_model")

def target_golden_tests(name, goldens, inputs, **kwargs):
    """For each golden the synap_golden_test <name>_<target>, of the synap_model <name>_<target>_model; <name> is all of the tests.

    Outputs that two targets agree on stand in both goldens: a change of either is seen. //models:goldens_test fails while a target has none;
    `bazel run <name>_<target>.update` writes it, after a file of that name was made.

    Args:
      name: begins the names of all targets.
      goldens: files named <target>.json, of one folder of this package.
      inputs: pictures; each is one run.
      **kwargs: of the synap_models: model or quantized, meta.
    """
    tests = []
    for golden in goldens:
        target = golden.split("/")[-1][:-len(".json")]
        test = "%s_%s" % (name, target)
        synap_model(
            name = test + "_model",
            target = target,
            testonly = True,
            **kwargs
        )
        synap_golden_test(
            name = test,
            golden = golden,
            inputs = inputs,
            model = ":" + test + "_model",
        )
        tests.append(test)
    native.test_suite(
        name = name,
        tests = tests,
    )
