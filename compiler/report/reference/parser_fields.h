// Fields of the metafile and their words, as the metafile's parser itself lists them in its errors.
//
// No table has to be kept beside the parser for the pages: a field that is added there is found
// here.
#ifndef COMPILER_REPORT_REFERENCE_PARSER_FIELDS_H_
#define COMPILER_REPORT_REFERENCE_PARSER_FIELDS_H_

#include <string>
#include <vector>

namespace synap_internal {

struct ParserField {
  std::string path;                // "inputs[].preprocess.type"; [] stands for each entry of a list
  std::vector<std::string> words;  // that it takes, the default first; empty if it takes others too
};

// All fields, each section's before those of the next level.
std::vector<ParserField> ParserFields();

}  // namespace synap_internal

#endif  // COMPILER_REPORT_REFERENCE_PARSER_FIELDS_H_
