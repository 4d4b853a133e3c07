// Warnings about legal but suspicious inputs and outputs of a metafile.
#ifndef COMPILER_CONVERT_CHECKS_INPUT_OUTPUT_CHECKS_H_
#define COMPILER_CONVERT_CHECKS_INPUT_OUTPUT_CHECKS_H_

#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// Warns, naming the tensors,
//   of inputs and outputs that have no entry in the metafile although others have one;
//   of input formats that spell BGR in capitals, which swaps nothing;
//   of formats with a variable that nothing replaces (`${ANCHOR}`, or ${ANCHORS} of an input);
//   of output formats that look like those of a detector but aren't decoded (`yolox`, `YOLOV5`),
//     with the nearest and with all known formats; other formats are the application's own;
//   of outputs whose format names a decoder that refuses them, or that takes lists whose number of
//     boxes, for the network's picture, is that of another family of YOLO;
//   of inputs that ask for secure memory in a model that isn't secure.
// `model`: the network as it is compiled.
void CheckInputsAndOutputs(const Metafile& metafile, const ModelMetadata& model,
                           Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CHECKS_INPUT_OUTPUT_CHECKS_H_
