#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {
namespace {

struct TypeNameOf {
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(const std::shared_ptr<Variable>&) const { return "Tensor"; }
  std::string operator()(int64_t) const { return "int"; }
  std::string operator()(double) const { return "float"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(const std::string&) const { return "str"; }
  std::string operator()(const std::shared_ptr<List>&) const { return "list"; }
  std::string operator()(const torchscript::PackedWeights*) const { return "packed weights"; }
  std::string operator()(const Other& other) const { return other.type; }
};

}  // namespace

std::string Value::TypeName() const { return std::visit(TypeNameOf{}, data); }

}  // namespace synap_internal::torchscript_import
