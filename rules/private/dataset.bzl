"""The samples of a calibration: which files belong together, and which shard they go to."""

load(":metafile.bzl", "complain")

_SAMPLE_SUFFIXES = ["jpg", "jpeg", "png", "bmp", "npy"]

DATASET_ATTRS = {
    "dataset": attr.label_list(
        allow_files = True,
        doc = "The samples of the network's only input: pictures (.jpg, .png, .bmp), .npy files, or directories of them.",
    ),
    "input_of_dataset": attr.label_keyed_string_dict(
        allow_files = True,
        doc = "For several inputs, instead of dataset: samples, each with the position of its input, from 0 on.",
    ),
    "random_dataset": attr.bool(doc = "Instead of dataset: the metafile says `dataset: random`."),
}

def dataset_attributes(dataset):
    """What a user writes as `dataset`, as attributes.

    Args:
      dataset: labels, or a dict of them by input: {0: glob(["images/*"]), 1: glob(["masks/*"])}, or "random".

    Returns:
      A dict of DATASET_ATTRS.
    """
    if dataset == "random":
        return {"random_dataset": True}
    if type(dataset) != type({}):
        return {"dataset": dataset}
    input_of = {}
    for input, labels in dataset.items():
        for label in labels:
            if label in input_of:
                fail("dataset has %s for the inputs %s and %s; a label is of one input, so copy the file" % (label, input_of[label], input))
            input_of[label] = str(input)
    return {"input_of_dataset": input_of}

def _stem(file):
    return file.basename[:-len(file.extension) - 1] if file.extension else file.basename

def _check_files(ctx, files, may_have_directories):
    """Refuses what is no sample, and two files of one name, by which a sample is known."""
    seen = {}
    for file in files:
        if file.is_directory:
            if may_have_directories:
                continue
            complain(ctx, "dataset has the directory %s, whose files aren't known yet when those of several inputs are matched; write files" % file.short_path)
        if file.extension.lower() not in _SAMPLE_SUFFIXES:
            complain(ctx, "dataset has %s; a sample is one of .%s" % (file.short_path, ", .".join(_SAMPLE_SUFFIXES)))
        other = seen.get(file.basename)
        if other:
            complain(ctx, ("dataset has %s and %s; a sample is known by its file name, so rename one of them" %
                           (other.short_path, file.short_path)))
        seen[file.basename] = file

def _check_matches(ctx, by_stem_of_input):
    """Refuses samples that an input lacks, all of them in one sentence."""
    stems = {stem: None for by_stem in by_stem_of_input.values() for stem in by_stem}
    lacking = []
    for input, by_stem in by_stem_of_input.items():
        missing = sorted([stem for stem in stems if stem not in by_stem])
        if missing:
            more = " and %d more" % (len(missing) - 8) if len(missing) > 8 else ""
            lacking.append("input %s has no %s%s" % (input, ", ".join(missing[:8]), more))
    if lacking:
        complain(ctx, "dataset: %s; a sample's files have one name but for the suffix, so add or rename files" % "; ".join(lacking))

def _matched(ctx):
    files_of_input = {}
    for target, input in ctx.attr.input_of_dataset.items():
        files_of_input[input] = files_of_input.get(input, []) + target.files.to_list()
    inputs = [str(i) for i in range(len(files_of_input))]
    if sorted(inputs) != sorted(files_of_input):
        keys = ", ".join(sorted(files_of_input))
        complain(ctx, "dataset has the keys %s; write the inputs' positions, 0 to %d" % (keys, len(inputs) - 1))
    by_stem_of_input = {}
    for input in inputs:
        _check_files(ctx, files_of_input[input], False)
        by_stem_of_input[input] = {_stem(file): file for file in files_of_input[input]}
        if len(by_stem_of_input[input]) < len(files_of_input[input]):
            complain(ctx, "dataset: input %s has two files of one name but for the suffix; rename one of them" % input)
    _check_matches(ctx, by_stem_of_input)
    return [
        struct(basename = first.basename, files = {input: by_stem_of_input[input][stem] for input in inputs}, short_path = first.short_path)
        for stem, first in by_stem_of_input[inputs[0]].items()
    ]

def dataset_samples(ctx):
    """The samples that DATASET_ATTRS say.

    Args:
      ctx: the rule's context.

    Returns:
      list of struct: basename and short_path (strings: of the first input's file), files (dict of string to File: by input, "" for a
      network's only one). A File may be a directory, of any number of samples. Empty: the sample is random.
    """
    if ctx.attr.random_dataset:
        return []
    if ctx.attr.input_of_dataset:
        if ctx.files.dataset:
            complain(ctx, "write either dataset or input_of_dataset")
        return _matched(ctx)
    if not ctx.files.dataset:
        complain(ctx, "dataset is empty; write dataset = glob([\"samples/*.jpg\"]), or the labels of the samples")
    _check_files(ctx, ctx.files.dataset, True)
    return [struct(basename = file.basename, files = {"": file}, short_path = file.short_path) for file in ctx.files.dataset]

def sample_files(samples):
    """The files of samples.

    Args:
      samples: as dataset_samples gives them.

    Returns:
      list of File.
    """
    return [file for sample in samples for file in sample.files.values()]

def sample_names(samples):
    """The names of samples that are files.

    Args:
      samples: as dataset_samples gives them.

    Returns:
      string: a sample a line, <path> or, for several inputs, <input>=<path>.
    """
    named = [(input, file) for sample in samples for input, file in sample.files.items() if not file.is_directory]
    return "".join(["%s%s\n" % (input + "=" if input else "", file.short_path) for input, file in named])

def has_directories(samples):
    """Whether it is only known when actions run which samples there are.

    Args:
      samples: as dataset_samples gives them.

    Returns:
      bool.
    """
    return any([file.is_directory for file in sample_files(samples)])

def add_samples(arguments, samples):
    """Names samples on a command line; of a directory each file in it.

    Args:
      arguments: Args.
      samples: as dataset_samples gives them.
    """
    for input in samples[0].files if samples else []:
        files = [sample.files[input] for sample in samples]
        arguments.add_all("--samples", files, format_each = input + "=%s" if input else "%s")

def by_path(sample):
    """Key of a sample's place among others.

    Args:
      sample: as dataset_samples gives them.

    Returns:
      string.
    """
    return sample.short_path

def _shard_of(name, shards):
    """Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): hash() steps evenly through numbered names, and the product's upper
    bits spread even steps evenly. The remainder of hash() itself leaves 10 of 64 shards empty for 1,000 numbered pictures."""
    return (hash(name) * 2654435769 % 4294967296) * shards // 4294967296

def shard_samples(samples, shards):
    """Deals samples out. A sample's shard follows from its file name alone, so that adding one touches one shard.

    Args:
      samples: as dataset_samples gives them, without directories.
      shards: how many shards.

    Returns:
      dict of int to list of samples, by shard; shards without samples are left out. Both in order.
    """
    dealt = {}
    for sample in samples:
        shard = _shard_of(sample.basename, shards)
        dealt[shard] = dealt.get(shard, []) + [sample]
    return {shard: sorted(dealt[shard], key = by_path) for shard in sorted(dealt)}

def first_samples(samples, count):
    """The first samples, by their paths. Of samples in directories all, since how many these have is known when actions run.

    Args:
      samples: as dataset_samples gives them.
      count: how many; fewer if there are fewer.

    Returns:
      A list as dataset_samples gives it, in order.
    """
    ordered = sorted(samples, key = by_path)
    return ordered if has_directories(samples) else ordered[:count]
