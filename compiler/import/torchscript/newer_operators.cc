#include "compiler/import/torchscript/newer_operators.h"

#include <cctype>
#include <cstddef>

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

constexpr size_t kLongestName = 256;

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name that ends before `end`; "" if there is none, or one longer than any operator's.
std::string NameBefore(const std::string& code, size_t end) {
  size_t begin = end;
  while (begin > 0 && end - begin <= kLongestName && IsOfName(code[begin - 1])) --begin;
  return end - begin <= kLongestName ? code.substr(begin, end - begin) : "";
}

// The name before the point before `begin`; "" if there is none.
std::string OwnerOf(const std::string& code, size_t begin) {
  return begin > 0 && code[begin - 1] == '.' ? NameBefore(code, begin - 1) : "";
}

// "torch.relu(" and "ops.torchvision.nms(" of serialized code, which may be hostile: no regular
// expressions, which std::regex matches by recursion. torch.device makes a constant.
void AddUnknown(const std::string& code, std::set<std::string>& unknown) {
  for (size_t end = code.find('('); end != std::string::npos; end = code.find('(', end + 1)) {
    const std::string name = NameBefore(code, end);
    const std::string owner = name.empty() ? "" : OwnerOf(code, end - name.size());
    if (owner.empty()) continue;
    const bool is_custom = OwnerOf(code, end - name.size() - 1 - owner.size()) == "ops";
    if (!is_custom && owner != "torch") continue;
    const std::string space = is_custom ? owner : "aten";
    const std::string op = space + "::" + name;
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
