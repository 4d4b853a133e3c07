// Output of programs that detect: detections as JSON or as a table.
#ifndef RUNTIME_CLI_DETECTION_OUTPUT_H_
#define RUNTIME_CLI_DETECTION_OUTPUT_H_

#include <string>

#include "synap/detector.hpp"
#include "synap/label_info.hpp"
#include "synap/types.hpp"

namespace synap_internal {

// JSON indented by 2, members in alphabetical order, ending in a newline; `synap
// image_od` reads it. Items have a member "label" if there are labels. A mask that isn't empty has
// a member "rectangle", the part of the image that it covers: `input_rect`, with which the
// detections were computed.
std::string DetectionJson(const synaptics::synap::Detector::Result& result,
                          const synaptics::synap::LabelInfo& labels,
                          const synaptics::synap::Rect& input_rect);

// A table for people, with a header; ends in a newline.
std::string DetectionTable(const synaptics::synap::Detector::Result& result,
                           const synaptics::synap::LabelInfo& labels);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_DETECTION_OUTPUT_H_
