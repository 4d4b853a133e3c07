"""Tests that run a model on the emulated NPU and hold its outputs, or its accuracy, against goldens."""

load(
    ":golden_test_rules.bzl",
    "synap_golden_update",
    accuracy_test = "synap_accuracy_test",
    float_test = "synap_float_test",
    golden_test = "synap_golden_test",
)
load(":model.bzl", "synap_model")

def _golden_pair(name, test, macro, check, update, golden, inputs, size, **kwargs):
    """The test `name`, which holds a model against a golden, and `<name>.update`, which writes the golden.

    Args:
      name: the test's name.
      test: the test's rule.
      macro: the caller's name, for the message.
      check: the checker's subcommand of the test.
      update: that of <name>.update.
      golden: the golden's file name, in this package.
      inputs: pictures.
      size: the test's size.
      **kwargs: of both targets.
    """
    if not inputs:
        fail("%s %s: inputs is empty; write inputs = [\"picture.jpg\"]" % (macro, name))
    package = native.package_name()
    synap_golden_update(
        name = name + ".update",
        testonly = True,
        command = update,
        inputs = inputs,
        options = {"golden": "/".join([part for part in [package, golden] if part])},
        **kwargs
    )
    test(
        name = name,
        command = check,
        golden = golden,
        inputs = inputs,
        options = {"update-with": "bazel run //%s:%s.update" % (package, name)},
        size = size,
        **kwargs
    )

def synap_golden_test(name, model, golden, inputs, size = "medium", tags = [], visibility = None):
    """Runs a model on the emulated NPU and compares its outputs, bit for bit, with a golden file.

    The golden is a JSON text in the source tree: for each input and output the shape, the type, the SHA-256 of the bytes and some of
    the values; for a detector its detections too. A failure says which output differs, in how many of those values, where first and by
    how much. `bazel run <name>.update` writes the golden anew (or at first).

    Args:
      name: the test's name; <name>.update is the target that writes the golden.
      model: a synap_model.
      golden: the golden's file name, in this package.
      inputs: pictures; each is one run.
      size: the test's size.
      tags: tags of both targets.
      visibility: of both targets.
    """
    _golden_pair(
        name = name,
        test = golden_test,
        macro = "synap_golden_test",
        check = "check",
        golden = golden,
        inputs = inputs,
        model = model,
        size = size,
        tags = tags,
        update = "update",
        visibility = visibility,
    )

def synap_float_test(
        name,
        model,
        golden,
        weights = None,
        meta = None,
        tolerance = "1e-4",
        data = [],
        size = "medium",
        tags = [],
        visibility = None):
    """Compiles a network without quantization and compares its outputs with those of a reference runtime.

    The golden is an .npz file with arrays input__<tensor> and output__<tensor>; or, to be small, pattern__<tensor> (the input is
    a drawn pattern) and sampled__<tensor> (some of the output's values). models/zoo/make_goldens.py and make_tflite_goldens.py write such files
    with the networks' own runtimes.

    Args:
      name: the test's name; <name>_model is the float model.
      model: the trained network.
      golden: the .npz file.
      weights: the weights of a Caffe network.
      meta: the conversion metafile; its quantization is not used.
      tolerance: the largest difference allowed, as a part of the output's range.
      data: what the metafile and the model refer to.
      size: the test's size.
      tags: tags of both targets.
      visibility: of both targets.
    """
    synap_model(
        name = name + "_model",
        testonly = True,
        data = data,
        meta = meta,
        model = model,
        tags = tags,
        visibility = visibility,
        weights = weights,
    )
    float_test(
        name = name,
        command = "compare",
        golden = golden,
        model = ":%s_model" % name,
        options = {"tolerance": tolerance},
        size = size,
        tags = tags,
        visibility = visibility,
    )

def synap_accuracy_test(
        name,
        model,
        inputs,
        truth,
        golden,
        reference = None,
        size = "medium",
        tags = [],
        visibility = None):
    """Measures a model on pictures whose content is known, beside the float network that it was made from.

    Figures of detectors are average precision, recall, precision and the error of the landmarks, of classifiers the part of pictures
    whose class is the first or among the first five; and for each output the signal to noise ratio and the cosine between the two
    computations. rules/checker/accuracy.h defines them and the truth file. The test fails if a figure is worse than the golden by more
    than the tolerance beside it, prints all of them, and the pictures that lose most. `bazel run <name>.update` writes the golden anew
    (or at first), prints what changed, and keeps tolerances that were edited.

    Args:
      name: the test's name; <name>.update is the target that writes the golden.
      model: the synap_model to measure.
      inputs: pictures.
      truth: what they show, a .json file.
      golden: the golden's file name, in this package.
      reference: the synap_model without quantization (that of a synap_float_test, <its name>_model). None for a network that came
        quantized: then only its own figures are measured.
      size: the test's size.
      tags: tags of both targets.
      visibility: of both targets.
    """
    _golden_pair(
        name = name,
        test = accuracy_test,
        macro = "synap_accuracy_test",
        check = "accuracy",
        golden = golden,
        inputs = inputs,
        model = model,
        reference = reference,
        size = size,
        tags = tags,
        truth = truth,
        update = "accuracy-update",
        visibility = visibility,
    )
