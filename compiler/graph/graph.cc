#include "compiler/graph/graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/emulated_types.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

void RemoveOneUser(Tensor* tensor, Op* user) {
  const auto it = std::find(tensor->users.begin(), tensor->users.end(), user);
  CHECK(it != tensor->users.end());
  tensor->users.erase(it);
}

}  // namespace

std::string Op::Label() const {
  return origins.empty() ? std::string(def->name)
                         : absl::StrCat(def->name, " '", origins.front(), "'");
}

Tensor* Graph::FindTensor(absl::string_view tensor_name) const {
  const auto it = by_name_.find(tensor_name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string Graph::UniqueName(absl::string_view base) const {
  std::string candidate(base.empty() ? "tensor" : base);
  if (FindTensor(candidate) == nullptr) return candidate;
  int& i = first_free_.try_emplace(std::string(base), 1).first->second;
  for (;; ++i) {
    candidate = absl::StrCat(base, ".", i);
    if (FindTensor(candidate) == nullptr) return candidate;
  }
}

void Graph::Forget(const std::string& tensor_name) {
  by_name_.erase(tensor_name);
  const size_t dot = tensor_name.rfind('.');
  int suffix = 0;
  if (dot == std::string::npos || !absl::SimpleAtoi(tensor_name.substr(dot + 1), &suffix)) return;
  const auto it = first_free_.find(absl::string_view(tensor_name).substr(0, dot));
  if (it != first_free_.end() && suffix >= 1) it->second = std::min(it->second, suffix);
}

Tensor* Graph::AddTensor(std::string tensor_name, TensorType type) {
  tensors_.emplace_back();
  Tensor* tensor = &tensors_.back();
  tensor_places_[tensor] = std::prev(tensors_.end());
  tensor->name = std::move(tensor_name);
  tensor->type = std::move(type);
  const bool added = by_name_.emplace(tensor->name, tensor).second;
  CHECK(added);
  return tensor;
}

Tensor* Graph::AddConstant(absl::string_view base_name, TensorType type, Constant constant) {
  CHECK(static_cast<int64_t>(constant.bytes.size()) == type.bytes());
  Tensor* tensor = AddTensor(UniqueName(base_name), std::move(type));
  tensor->constant = std::make_shared<const Constant>(std::move(constant));
  return tensor;
}

void Graph::Rename(Tensor* tensor, std::string new_name) {
  Forget(tensor->name);
  tensor->name = std::move(new_name);
  CHECK(by_name_.emplace(tensor->name, tensor).second);
}

Op* Graph::AddOp(Op op, Op* before) {
  const auto position = before == nullptr ? ops_.end() : op_places_.at(before);
  const auto place = ops_.insert(position, std::move(op));
  Op* added = &*place;
  op_places_[added] = place;
  for (Tensor* input : added->inputs) {
    if (input != nullptr) input->users.push_back(added);
  }
  for (Tensor* output : added->outputs) {
    CHECK(output->producer == nullptr && !output->is_constant());
    output->producer = added;
  }
  return added;
}

absl::StatusOr<Op*> Graph::AddInferredOp(absl::string_view op_name, std::vector<Tensor*> op_inputs,
                                         Attributes attributes, std::vector<std::string> origins,
                                         absl::string_view output_name, Op* before) {
  Op op;
  op.def = FindOp(op_name);
  CHECK(op.def != nullptr);
  op.inputs = std::move(op_inputs);
  op.attributes = std::move(attributes);
  op.origins = std::move(origins);
  const std::vector<TensorType> input_types = InputTypes(op);
  absl::StatusOr<std::vector<TensorType>> types = InferOp(*op.def, {input_types, op.attributes});
  if (!types.ok()) return Annotate(types.status(), op.Label());
  for (TensorType& type : *types) {
    op.outputs.push_back(AddTensor(UniqueName(output_name), std::move(type)));
  }
  return AddOp(std::move(op), before);
}

void Graph::SetInput(Op* op, size_t index, Tensor* tensor) {
  if (index >= op->inputs.size()) op->inputs.resize(index + 1);
  if (op->inputs[index] != nullptr) RemoveOneUser(op->inputs[index], op);
  op->inputs[index] = tensor;
  if (tensor != nullptr) tensor->users.push_back(op);
}

void Graph::ReplaceUses(Tensor* from, Tensor* to) {
  const std::vector<Op*> users = std::exchange(from->users, {});
  for (Op* user : users) {
    // A user that reads `from` twice is in this list twice, and must be so in that of `to`.
    *std::find(user->inputs.begin(), user->inputs.end(), from) = to;
    to->users.push_back(user);
  }
  std::replace(outputs.begin(), outputs.end(), from, to);
}

void Graph::RemoveOp(Op* op) {
  for (Tensor* input : op->inputs) {
    if (input != nullptr) RemoveOneUser(input, op);
  }
  for (Tensor* output : op->outputs) {
    CHECK(output->users.empty() && !IsOutput(output));
    Forget(output->name);
    tensors_.erase(tensor_places_.extract(output).mapped());
  }
  ops_.erase(op_places_.extract(op).mapped());
}

int Graph::RemoveDead() {
  std::unordered_set<const Tensor*> kept(outputs.begin(), outputs.end());
  int removed = 0;
  for (auto it = ops_.end(); it != ops_.begin();) {
    --it;
    const bool live = std::any_of(it->outputs.begin(), it->outputs.end(), [&](const Tensor* t) {
      return !t->users.empty() || kept.count(t) > 0;
    });
    if (live) continue;
    for (Tensor* input : it->inputs) {
      if (input != nullptr) RemoveOneUser(input, &*it);
    }
    for (Tensor* output : it->outputs) output->producer = nullptr;  // removed below
    op_places_.erase(&*it);
    it = ops_.erase(it);
    ++removed;
  }
  kept.insert(inputs.begin(), inputs.end());
  for (auto it = tensors_.begin(); it != tensors_.end();) {
    const bool used = it->producer != nullptr || !it->users.empty() || kept.count(&*it) > 0;
    if (used) {
      ++it;
      continue;
    }
    Forget(it->name);
    tensor_places_.erase(&*it);
    it = tensors_.erase(it);
  }
  return removed;
}

bool Graph::IsOutput(const Tensor* tensor) const {
  return std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
}

absl::Status Graph::Sort() {
  std::unordered_map<const Op*, size_t> missing;  // operands not yet produced
  std::list<Op> sorted;
  std::vector<std::list<Op>::iterator> ready;
  std::unordered_map<const Op*, std::list<Op>::iterator> position;
  std::unordered_map<const Op*, size_t> rank;
  for (auto it = ops_.begin(); it != ops_.end(); ++it) {
    position[&*it] = it;
    rank[&*it] = rank.size();
    for (const Tensor* input : it->inputs) {
      if (input != nullptr && input->producer != nullptr) ++missing[&*it];
    }
    if (missing[&*it] == 0) ready.push_back(it);
  }
  // Smallest original rank first keeps the order where it was right.
  const auto later = [&](auto a, auto b) { return rank[&*a] > rank[&*b]; };
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const auto next = ready.back();
    ready.pop_back();
    for (Tensor* output : next->outputs) {
      for (Op* user : output->users) {
        if (--missing[user] > 0) continue;
        ready.push_back(position[user]);
        std::push_heap(ready.begin(), ready.end(), later);
      }
    }
    sorted.splice(sorted.end(), ops_, next);
  }
  if (!ops_.empty()) {
    const std::string label = ops_.front().Label();
    sorted.splice(sorted.end(), ops_);
    ops_ = std::move(sorted);
    return absl::FailedPreconditionError(absl::StrCat("the graph has a cycle through ", label));
  }
  ops_ = std::move(sorted);
  return absl::OkStatus();
}

Graph Graph::Clone() const {
  Graph copy;
  copy.name = name;
  copy.layout = layout;
  copy.own_quantizers = own_quantizers;
  copy.anchors = anchors;
  copy.format = format;
  std::unordered_map<const Tensor*, Tensor*> map;
  for (const Tensor& tensor : tensors_) {
    Tensor* copied = copy.AddTensor(tensor.name, tensor.type);
    copied->constant = tensor.constant;
    map[&tensor] = copied;
  }
  const auto mapped = [&](const std::vector<Tensor*>& list) {
    std::vector<Tensor*> copies;
    for (const Tensor* t : list) copies.push_back(t == nullptr ? nullptr : map.at(t));
    return copies;
  };
  for (const Op& op : ops_) {
    copy.AddOp({op.def, op.attributes, mapped(op.inputs), mapped(op.outputs), op.origins});
  }
  copy.inputs = mapped(inputs);
  copy.outputs = mapped(outputs);
  return copy;
}

bool MovesData(const Op& op) { return op.def->moves_data(); }

bool HasRealWeights(const Op& op) {
  return op.def->is_weighted_sum() && op.inputs[1]->is_constant() &&
         op.inputs[1]->type.dtype == DataType::kFloat32;
}

OperandRole RoleOf(const Op& op, size_t i) {
  return op.def->operands[std::min(i, op.def->operands.size() - 1)];
}

bool IsQuantized(const Graph& graph) {
  return std::any_of(graph.tensors().begin(), graph.tensors().end(),
                     [](const Tensor& tensor) { return tensor.type.quant.quantized(); });
}

std::vector<TensorType> InputTypes(const Op& op) {
  std::vector<TensorType> types;
  for (const Tensor* t : op.inputs) types.push_back(t == nullptr ? TensorType{} : t->type);
  return types;
}

std::vector<TensorType> OutputTypes(const Op& op) {
  std::vector<TensorType> types;
  for (const Tensor* t : op.outputs) types.push_back(t->type);
  return types;
}

}  // namespace synap_internal
