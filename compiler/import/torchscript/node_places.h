// Places in the model that the nodes of a module's inlined graph come from. For the program that
// links libtorch.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_NODE_PLACES_H_
#define COMPILER_IMPORT_TORCHSCRIPT_NODE_PLACES_H_

#include <torch/script.h>

#include <cstddef>
#include <map>
#include <string>
#include <tuple>

#include "torch/csrc/jit/ir/ir.h"

namespace synap_internal::torchscript_import {

// A node keeps the calls that were inlined, each with the last name of the submodule only ("cv2" of
// self.model[22].cv2). The modules' own code, as it is before that, has the whole path of each.
class NodePlaces {
 public:
  // `module`: as loaded.
  explicit NodePlaces(const torch::jit::Module& module);

  // "model.22.cv2"; empty for nodes of the module itself.
  std::string ModuleOf(const torch::jit::Node& node) const;
  // "block.py:31", the line of the model's own code that makes the node; empty if the file has no
  // record of that.
  static std::string SourceOf(const torch::jit::Node& node);

 private:
  // Of a call: the code, and where the call begins and ends there.
  using Place = std::tuple<const void*, size_t, size_t>;

  static Place PlaceOf(const torch::jit::SourceRange& range);
  void AddCalls(const torch::jit::Block& block, const torch::jit::Value* self);

  std::map<Place, std::string> paths_;  // of the submodule that a call is of, from the caller
};

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_NODE_PLACES_H_
