// Parts of a metafile, each with the fields that one stage of a conversion reads, and their texts,
// which are the stages' cache keys.
//
// A stage gets its part, not the metafile: it can't read a field that isn't in its key. A new
// `format` of an output changes CompilePart alone.
#ifndef COMPILER_METAFILE_STAGE_PARTS_H_
#define COMPILER_METAFILE_STAGE_PARTS_H_

#include <string>

#include "compiler/metafile/metafile.h"

namespace synap_internal {

struct StagePart {
  // The path and the fields that the stage reads, with their places for messages; all other fields
  // have their defaults.
  Metafile metafile;
  // The same fields as a metafile in canonical form: in a fixed order, values in one spelling,
  // variables expanded, no comments; the same bytes on every machine. Equal text, equal result.
  std::string text;
};

// All fields but `custom`: ParseMetafile(CanonicalText(m)) is m again, except for locations.
std::string CanonicalText(const Metafile& metafile);

// Names and shapes of inputs and outputs, values of inputs that become constants, and the
// quantization's option equalize, which changes the float graph.
StagePart ImportPart(const Metafile& metafile);

// Name, shape, means and scale of each input, the words of its format that decide how an image
// becomes a sample (bgr, keep_proportions, fill_color), the datasets as written, how many of their
// samples calibrate, whether the algorithm reads histograms (as `algorithm: auto`) and, with mode
// full, what makes the float graph of a quantized one. No data types.
StagePart CalibratePart(const Metafile& metafile);

// Types, scheme, mode, algorithm and options, which outputs are converted to float32, what to
// optimize, and the delegates if some of them keep layers in float or if times decide. Without the
// datasets, so that quantized() is false of it: the stage reads the statistics that it is given.
StagePart QuantizePart(const Metafile& metafile);

// All fields but `quantization`.
StagePart CompilePart(const Metafile& metafile);

// All fields, for stages that do the work of several.
StagePart WholePart(const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_STAGE_PARTS_H_
