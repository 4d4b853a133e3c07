"""zoo_model, zoo_detector, zoo_prequantized: the targets of one network of the zoo. zoo_test: a test of programs on some.

zoo_networks, after them, says how many of the networks could not be had.
"""

load("@synap_zoo//:available.bzl", "AVAILABLE")
load("//models:targets.bzl", "model")
load("//rules:synap.bzl", "synap_float_test", "synap_golden_test")
load("//rules/private:python.bzl", "python_test")

_ADVICE = "name a folder that has them with --distdir=<folder>, or connect to the network; then run ./bazelw sync --only=synap_zoo"

def _unavailable_impl(ctx):
    fail("%s: %s; %s" % (ctx.label, ctx.attr.sentence, _ADVICE))

_unavailable = rule(
    implementation = _unavailable_impl,
    doc = "Stands for a target whose files could not be had, and says so.",
    attrs = {"sentence": attr.string(mandatory = True)},
)

def _have(name, files):
    """Whether all files could be had; if not, makes a target <name> that says which are missing."""
    missing = [needed for needed in depset(files).to_list() if needed not in AVAILABLE]
    if missing:
        _unavailable(
            name = name,
            sentence = "these files of the zoo could not be had: " + ", ".join(missing),
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

def _notice_impl(ctx):
    # Bazel shows it in every build that asks for this target, whether something has changed or not.
    # buildifier: disable=print
    print("//%s: %s; %s" % (ctx.label.package, ctx.attr.sentence, _ADVICE))
    return []

_notice = rule(
    implementation = _notice_impl,
    doc = "Prints a sentence and doesn't fail: a build of //... needs no network.",
    attrs = {"sentence": attr.string(mandatory = True)},
)

def zoo_networks(name):
    """All networks that the macros above have declared before, each of which has its metafile in the folder.

    Where all files could be had, `name` is a group of all models. Otherwise building it fails, and says how many there are; a pattern such as
    //... or //models/zoo/..., which takes what there is, prints the same sentence.

    Args:
      name: the target's name.
    """
    rules = native.existing_rules()
    networks = [rules[file[:-len(".yaml")]] for file in native.glob(["*.yaml"])]
    available = [":" + rule["name"] for rule in networks if rule["kind"] != "_unavailable"]
    if len(available) == len(networks):
        native.filegroup(
            name = name,
            srcs = available,
            tags = ["zoo"],
            visibility = ["//visibility:public"],
        )
        return
    sentence = "%d of %d built: %s" % (len(available), len(networks), "some files could not be had" if AVAILABLE else "offline")
    _unavailable(
        name = name,
        sentence = sentence,
        tags = [
            "manual",
            "zoo",
        ],
    )
    _notice(
        name = name + "_notice",
        sentence = sentence,
        tags = ["zoo"],
    )
