"""zoo_model, zoo_detector, zoo_prequantized: the targets of one network of the zoo. zoo_test: a test of programs on some."""

load("@synap_zoo//:available.bzl", "AVAILABLE")
load("//models:targets.bzl", "model")
load("//rules:synap.bzl", "synap_float_test", "synap_golden_test")
load("//rules/private:python.bzl", "python_test")

def _unavailable_impl(ctx):
    fail(("%s: these files of the zoo could not be had: %s. Name a folder that has them with --distdir=<folder>, or connect to the network; " +
          "then run ./bazelw sync --only=synap_zoo") % (ctx.label, ", ".join(ctx.attr.missing)))

_unavailable = rule(
    implementation = _unavailable_impl,
    doc = "Stands for a target whose files could not be had, and says so.",
    attrs = {"missing": attr.string_list()},
)

def _have(name, files):
    """Whether all files could be had; if not, makes a target <name> that says which are missing."""
    missing = [needed for needed in depset(files).to_list() if needed not in AVAILABLE]
    if missing:
        _unavailable(
            name = name,
            missing = missing,
            tags = [
                "manual",
                "zoo",
            ],
        )
    return not missing

def zoo_model(name, file, samples = None, pictures = [], weights = None, shards = 4):
    """A network of the zoo, quantized with photographs if there are any; its metafile is <name>.yaml.

    Makes the model <name>, the synap_float_test <name>_float_test, whose golden is goldens/<file's stem>.npz, and the
    synap_golden_test <name>_golden_test, whose golden is goldens/<name>.json. Without samples there is no golden test. All are tagged zoo. Without the files, only <name> is
    made, which then isn't built by a pattern such as //...

    Args:
      name: the model's name.
      file: the network's file name in the zoo.
      samples: pictures to calibrate with, file names in the zoo. None: the network isn't quantized.
      pictures: pictures to test with, file names in the zoo.
      weights: the weights of a Caffe network, a file name in the zoo.
      shards: of the calibration.
    """
    if not _have(name, [file] + ([weights] if weights else []) + (samples or []) + pictures):
        return
    weights = "@synap_zoo//:" + weights if weights else None
    model(
        name = name,
        dataset = ["@synap_zoo//:" + sample for sample in samples] if samples else None,
        inputs = ["@synap_zoo//:" + picture for picture in pictures],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        shards = shards,
        tags = ["zoo"],
        visibility = ["//visibility:public"],
        weights = weights,
    )
    synap_float_test(
        name = name + "_float_test",
        golden = "goldens/%s.npz" % file.rsplit(".", 1)[0],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        tags = ["zoo"],
        weights = weights,
    )
    if samples:
        synap_golden_test(
            name = name + "_golden_test",
            golden = "goldens/%s.json" % name,
            inputs = ["@synap_zoo//:" + picture for picture in pictures],
            model = ":" + name,
            tags = ["zoo"],
        )

def zoo_detector(name, file, pictures, weights = None):
    """A detector of the zoo in float32, whose boxes are decoded; its metafile is <name>.yaml, which names the format.

    Makes the model <name> and the synap_golden_test <name>_golden_test, whose golden, goldens/<name>.json, lists the detections.
    Both are tagged zoo. Without the files, only <name> is made, which then isn't built by a pattern such as //...

    Args:
      name: the model's name.
      file: the network's file name in the zoo.
      pictures: pictures to test with, file names in the zoo.
      weights: the weights of a Caffe network, a file name in the zoo.
    """
    if not _have(name, [file] + ([weights] if weights else []) + pictures):
        return
    model(
        name = name,
        inputs = ["@synap_zoo//:" + picture for picture in pictures],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        tags = ["zoo"],
        visibility = ["//visibility:public"],
        weights = "@synap_zoo//:" + weights if weights else None,
    )
    synap_golden_test(
        name = name + "_golden_test",
        golden = "goldens/%s.json" % name,
        inputs = ["@synap_zoo//:" + picture for picture in pictures],
        model = ":" + name,
        tags = ["zoo"],
    )

def zoo_prequantized(name, file, pictures):
    """The model of a network that its trainers quantized; its metafile is <name>.yaml.

    Tagged zoo. Without the files, it isn't built by a pattern such as //...

    Args:
      name: the model's name.
      file: the network's file name in the zoo.
      pictures: pictures to test with, file names in the zoo.
    """
    if not _have(name, [file] + pictures):
        return
    model(
        name = name,
        inputs = ["@synap_zoo//:" + picture for picture in pictures],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        tags = ["zoo"],
        visibility = ["//visibility:public"],
    )

def zoo_test(name, args, programs, models, pictures):
    """A test, the module <name>.py, of programs on networks of the zoo. Tagged zoo.

    Args:
      name: the test's name.
      args: its arguments: labels of programs and of models, names of pictures.
      programs: labels of programs that are among args.
      models: by the label of each model that is among args, the network's file name in the zoo.
      pictures: pictures that are among args, file names in the zoo.
    """
    if not _have(name, models.values() + pictures):
        return
    python_test(
        name = name,
        size = "medium",
        args = ["$(rootpath %s)" % ("@synap_zoo//:" + arg if arg in pictures else arg) for arg in args],
        data = programs + models.keys() + ["@synap_zoo//:" + picture for picture in pictures],
        tags = [
            "no-sanitizer",
            "zoo",
        ],
    )
