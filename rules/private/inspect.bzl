"""synap_inspect: what a network holds, and how its layers run on a target."""

load(":inspect_rule.bzl", inspect_rule = "synap_inspect")
load(":metafile.bzl", "missing_files")

def synap_inspect(
        name,
        model,
        weights = None,
        meta = None,
        target = None,
        data = [],
        env = {},
        tags = [],
        target_compatible_with = [],
        testonly = False,
        visibility = None):
    """What a network holds, and which layers run where and for how long on a target: <name>.txt, the text of `synap inspect`.

    Nothing is quantized: the times are those of 8 and of 16 bits. A network that can't be imported fails the build, with the operators that
    aren't supported. Output group json has the same as <name>.json, for programs.

    ```
    synap_inspect(
        name = "faces_layers",
        model = "faces.onnx",
        target = "VS640",
    )
    ```

    Args:
      name: the target's name.
      model: the trained network, an .onnx, .tflite, .torchscript (.pt, .pth, .ptl), .pt2, .pb or .prototxt file.
      weights: the weights of a Caffe network (.prototxt), a .caffemodel file.
      meta: the conversion metafile, for names, shapes, layout and what the pictures are.
      target: a target's name or alias; without it --//rules:target decides, and another one than the default is in the path: <TARGET>/<name>.txt.
      data: what the metafile and the model refer to.
      env: variables that the metafile sees.
      tags: the target's tags.
      target_compatible_with: constraints of platforms, as ["@synap//platforms:sl1680"].
      testonly: whether only tests may use it.
      visibility: the target's visibility.
    """
    inspect_rule(
        name = name,
        data = data,
        env = env,
        meta = meta,
        missing_files = missing_files([meta, model, weights]),
        model = model,
        tags = tags,
        target = target,
        target_compatible_with = target_compatible_with,
        testonly = testonly,
        visibility = visibility,
        weights = weights,
    )
