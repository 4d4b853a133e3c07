// Output of programs that classify: the best classes as JSON or as a table.
#ifndef RUNTIME_CLI_CLASSIFICATION_OUTPUT_H_
#define RUNTIME_CLI_CLASSIFICATION_OUTPUT_H_

#include <string>

#include "synap/classifier.hpp"
#include "synap/label_info.hpp"

namespace synap_internal {

// JSON indented by 2, members in alphabetical order, ending in a newline. Items have a member
// "label" if there are labels.
std::string ClassificationJson(const synaptics::synap::Classifier::Result& result,
                               const synaptics::synap::LabelInfo& labels);

// A table for people, with a header; ends in a newline.
std::string ClassificationTable(const synaptics::synap::Classifier::Result& result,
                                const synaptics::synap::LabelInfo& labels);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_CLASSIFICATION_OUTPUT_H_
