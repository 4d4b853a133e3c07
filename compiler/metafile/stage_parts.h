// The part of a metafile that each stage of a conversion reads, as canonical text: equal text,
// equal result. It is what a stage's cache key holds, and it is itself a metafile that the stage
// can be run with.
//
// Canonical: the fields that the stage depends on in a fixed order, values in one spelling,
// variables expanded, no comments; the same bytes on every machine. A change that a stage can't see
// leaves its text as it was: a new `format` of an output changes CompilePart alone.
#ifndef COMPILER_METAFILE_STAGE_PARTS_H_
#define COMPILER_METAFILE_STAGE_PARTS_H_

#include <string>

#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Every field but `custom`: ParseMetafile(CanonicalText(m)) is m again, but for locations.
std::string CanonicalText(const Metafile& metafile);

// Names and shapes of inputs and outputs, the data layout, and what of the quantization changes the
// float graph: mode full and the option equalize.
std::string ImportPart(const Metafile& metafile);

// Of each input: name, shape, means, scale, and of its format what decides how an image becomes a
// sample (bgr, keep_proportions, fill_color); the datasets as they are written. Nothing of the
// types that follow from it.
std::string CalibratePart(const Metafile& metafile);

// Types, scheme, mode, algorithm and options, which outputs leave as float32 and whether to
// optimize; without the datasets: so quantized() is false of it, and the stage goes by the
// statistics that it was given.
std::string QuantizePart(const Metafile& metafile);

// Everything but `quantization`.
std::string CompilePart(const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_STAGE_PARTS_H_
