"""What the rules hand to each other: the outputs of the stages of a conversion."""

SynapMetafileInfo = provider(
    doc = "A conversion metafile and all that its text may refer to.",
    fields = {
        "data": "depset of File: what ${FILE:} and the model's external data refer to.",
        "env": "dict of string to string: the variables that ${ENV:} sees.",
        "file": "File: the YAML metafile, or None.",
    },
)

SynapGraphInfo = provider(
    doc = "Output of the import stage; the same for every target and quantization.",
    fields = {
        "check": "File: there once the files below are known to be made of what the rule names.",
        "metafile": "SynapMetafileInfo: what the model was imported with.",
        "model": "File: the model file.",
        "onnx": "File: the same graph as ONNX.",
        "sir": "File: the float graph.",
        "weights": "File: the weights of a model that has them in a second file, or None.",
    },
)

SynapCalibrationInfo = provider(
    doc = "Output of the calibration; the same for every target and data type.",
    fields = {
        "check": "File: there once the files below are known to be made of what the rule names.",
        "samples": "list of struct: all samples, as dataset.bzl has them; empty for a random one.",
        "shards": "dict of int to list of File: the samples of each shard that has any.",
        "stats": "list of File: one for each shard that has samples, in the shards' order.",
    },
)

SynapQuantInfo = provider(
    doc = "Output of the quantize stage; the same for every target.",
    fields = {
        "check": "File: there once the files below are known to be made of what the rule names.",
        "info": "File: quantization_info.yaml.",
        "onnx": "File: the same graph as ONNX.",
        "qsir": "File: the graph with a type and a quantizer on every tensor.",
    },
)

SynapModelInfo = provider(
    doc = "A compiled model.",
    fields = {
        "budget": "File: the table of the budget, which is kept; None without one.",
        "checks": "list of File: what actions write that fail if the model or a stage before it isn't made of what the rule names, or the budget is exceeded.",
        "graph": "File: the graph that it was compiled from, float or quantized; None of a synap_preprocess_model.",
        "info": "File: model_info.txt.",
        "metafile": "SynapMetafileInfo: what it was compiled with; None of a synap_preprocess_model.",
        "nb": "list of File: model.nb and its model.json, if it was asked for; else empty.",
        "quantization_info": "File: quantization_info.yaml, or None for a model that isn't quantized.",
        "report": "File: the report, an HTML page.",
        "self_test": "int: how many samples its self-test has; 0: it has none.",
        "synap": "File: the model, for one target.",
        "target": "string: the target's name, never an alias.",
    },
)

SynapModelsInfo = provider(
    doc = "The models of a synap_model, which has several if it names `targets`.",
    fields = {"models": "dict of string to SynapModelInfo: each target's name to the model for it."},
)

def preserved_files(stages):
    """What `synap convert --preserve` keeps of the stages before compilation, but for its log.

    Args:
      stages: list of SynapGraphInfo, SynapCalibrationInfo and SynapQuantInfo.

    Returns:
      list of File: graphs, and the same as ONNX.
    """
    files = []
    for stage in stages:
        for field in ["sir", "qsir", "onnx"]:
            if hasattr(stage, field):
                files.append(getattr(stage, field))
    return files
