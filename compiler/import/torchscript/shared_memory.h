// Alias analysis of a TorchScript graph: the values that may share memory.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SHARED_MEMORY_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SHARED_MEMORY_H_

#include <cstdint>
#include <vector>

#include "compiler/import/torchscript/graph_file.h"

namespace synap_internal::torchscript_import {

// A partition of the values: two of different sets never share memory, unless one
// contains the other. An unknown operator may give a view of anything
// that it reads. Takes time linear in the graph.
class SharedMemory {
 public:
  // `file` stays with it.
  explicit SharedMemory(const GraphFile& file);

  // The set's number, below that of values.
  uint32_t SetOf(uint32_t value);
  // The elements of a list, tuple or dictionary; empty if they are in its own set, as
  // it is once something takes out of it what it contains.
  const std::vector<uint32_t>& ElementsOf(uint32_t value) const { return elements_[value]; }

 private:
  void AddBlock(const torchscript::Block& block);
  void AddNode(const torchscript::Node& node);
  void AddControlFlow(const torchscript::Node& node);
  void AddContainer(const torchscript::Node& node);
  bool Unpack(const torchscript::Node& node);
  void Link(uint32_t a, uint32_t b);
  void MergeElements(uint32_t value);
  bool CanShare(uint32_t value) const;

  const GraphFile& file_;
  std::vector<uint32_t> parents_;  // a forest whose trees are the sets
  std::vector<std::vector<uint32_t>> elements_;
};

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SHARED_MEMORY_H_
