#include "compiler/import/torchscript/newer_operators.h"

#include <regex>

#include "torch/csrc/jit/frontend/builtin_functions.h"
#include "torch/csrc/jit/runtime/operator.h"

namespace synap_internal::torchscript_import {
namespace {

bool IsKnown(const std::string& op) {
  const auto symbol = c10::Symbol::fromQualString(op);
  return !torch::jit::getAllOperatorsFor(symbol).empty() ||
         !torch::jit::getAllBuiltinFunctionsFor(symbol).empty();
}

bool IsCode(const std::string& entry) {
  constexpr char kFolder[] = "code/", kSuffix[] = ".py";
  const size_t suffix = sizeof(kSuffix) - 1;
  return entry.compare(0, sizeof(kFolder) - 1, kFolder) == 0 && entry.size() > suffix &&
         entry.compare(entry.size() - suffix, suffix, kSuffix) == 0;
}

// "torch.relu(" and "ops.torchvision.nms(" of serialized code. torch.device makes a constant.
void AddUnknown(const std::string& code, std::set<std::string>& unknown) {
  static const std::regex kCall(R"(\b(?:torch|ops\.(\w+))\.(\w+)\()");
  for (auto call = std::sregex_iterator(code.begin(), code.end(), kCall);
       call != std::sregex_iterator(); ++call) {
    const std::string space = (*call)[1].matched ? (*call)[1].str() : "aten";
    const std::string op = space + "::" + (*call)[2].str();
    if (space != "prim" && op != "aten::device" && !IsKnown(op)) unknown.insert(op);
  }
}

}  // namespace

std::set<std::string> FindUnknownOperators(caffe2::serialize::PyTorchStreamReader& file) {
  std::set<std::string> unknown;
  for (const std::string& entry : file.getAllRecords()) {
    if (!IsCode(entry)) continue;
    const auto [data, size] = file.getRecord(entry);
    AddUnknown(std::string(static_cast<const char*>(data.get()), size), unknown);
  }
  return unknown;
}

}  // namespace synap_internal::torchscript_import
