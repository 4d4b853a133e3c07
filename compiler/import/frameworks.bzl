"""The table of frameworks.cc as the build rules need it; frameworks_test compares the two."""

# folder: of the importer, below //compiler/import. Suffixes are without the dot. weights: that of the second file, which has the weights. reader: whether a program of its
# own reads the model.
FRAMEWORKS = [
    struct(name = "ONNX", folder = "onnx", suffixes = ["onnx"], weights = "", reader = False),
    struct(name = "TensorFlow Lite", folder = "tflite", suffixes = ["tflite"], weights = "", reader = False),
    struct(name = "TorchScript", folder = "torchscript", suffixes = ["torchscript", "pt", "pth", "ptl"], weights = "", reader = True),
    struct(name = "torch.export", folder = "pt2", suffixes = ["pt2"], weights = "", reader = False),
    struct(name = "TensorFlow", folder = "tensorflow", suffixes = ["pb"], weights = "", reader = False),
    struct(name = "Caffe", folder = "caffe", suffixes = ["prototxt"], weights = "caffemodel", reader = False),
]

MODEL_SUFFIXES = [suffix for framework in FRAMEWORKS for suffix in framework.suffixes]

def framework_of(model):
    """The framework of a model.

    Args:
      model: File with one of MODEL_SUFFIXES, upper or lower case.

    Returns:
      A struct of FRAMEWORKS.
    """
    for framework in FRAMEWORKS:
        if model.extension.lower() in framework.suffixes:
            return framework
    fail("%s is not a model" % model.basename)

# For frameworks_test: a line for each framework, as the C++ table prints it.
FRAMEWORK_LINES = "\n".join([
    "%s .%s weights=%s reader=%s" % (f.name, " .".join(f.suffixes), "." + f.weights if f.weights else "", "1" if f.reader else "0")
    for f in FRAMEWORKS
])
