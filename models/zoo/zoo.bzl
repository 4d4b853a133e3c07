"""zoo_model: the targets of one network of the zoo."""

load("@synap_zoo//:available.bzl", "AVAILABLE")
load("//rules:synap.bzl", "synap_float_test", "synap_golden_test", "synap_model")

def _unavailable_impl(ctx):
    fail(("%s: these files of the zoo could not be had: %s. Name a folder that has them with --distdir=<folder>, or connect to the network; " +
          "then run ./bazelw sync --only=synap_zoo") % (ctx.label, ", ".join(ctx.attr.missing)))

_unavailable = rule(
    implementation = _unavailable_impl,
    doc = "Stands for a target whose files could not be had, and says so.",
    attrs = {"missing": attr.string_list()},
)

def zoo_model(name, file, samples, pictures, shards = 4):
    """A network of the zoo, quantized with photographs; its metafile is <name>.yaml.

    Makes the synap_model <name>, the synap_float_test <name>_float_test, whose golden is goldens/<file's stem>.npz, and the
    synap_golden_test <name>_golden_test, whose golden is goldens/<name>.json. All are tagged zoo. Without the files, only <name> is
    made, which then isn't built by a pattern such as //...

    Args:
      name: the model's name.
      file: the network's file name in the zoo.
      samples: pictures to calibrate with, file names in the zoo.
      pictures: pictures to test with, file names in the zoo.
      shards: of the calibration.
    """
    missing = [needed for needed in depset([file] + samples + pictures).to_list() if needed not in AVAILABLE]
    if missing:
        _unavailable(
            name = name,
            missing = missing,
            tags = [
                "manual",
                "zoo",
            ],
        )
        return
    synap_model(
        name = name,
        dataset = ["@synap_zoo//:" + sample for sample in samples],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        shards = shards,
        tags = ["zoo"],
        visibility = ["//visibility:public"],
    )
    synap_float_test(
        name = name + "_float_test",
        golden = "goldens/%s.npz" % file.rsplit(".", 1)[0],
        meta = name + ".yaml",
        model = "@synap_zoo//:" + file,
        tags = ["zoo"],
    )
    synap_golden_test(
        name = name + "_golden_test",
        golden = "goldens/%s.json" % name,
        inputs = ["@synap_zoo//:" + picture for picture in pictures],
        model = ":" + name,
        tags = ["zoo"],
    )
