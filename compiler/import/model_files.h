// The files of one model.
#ifndef COMPILER_IMPORT_MODEL_FILES_H_
#define COMPILER_IMPORT_MODEL_FILES_H_

#include <string>

namespace synap_internal {

struct ModelFiles {
  std::string model;
  std::string weights;  // of frameworks that keep weights in a second file; else ""
  // The program that reads models of the framework (Framework::reader); "": the one beside this.
  std::string reader;
  // What that program wrote of the model, if it has run already.
  std::string reader_output;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_MODEL_FILES_H_
