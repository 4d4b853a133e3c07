#include "compiler/graph/change_layout.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/graph/picture_layout.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

using Order = std::vector<int64_t>;

// The order that makes `layout` of the other one.
Order OrderTo(absl::string_view layout) {
  return layout == "nchw" ? Order{0, 3, 1, 2} : Order{0, 2, 3, 1};
}

// `type` with its axes in another order.
TensorType InOrder(TensorType type, const Order& order) {
  std::vector<int64_t> dims;
  for (const int64_t axis : order) dims.push_back(type.shape[static_cast<size_t>(axis)]);
  type.shape = Shape(std::move(dims));
  return type;
}

Op Transpose(Tensor* from, const Order& order, Tensor* to) {
  Op op;
  op.def = FindOp("transpose");
  CHECK(op.def != nullptr);
  op.inputs = {from};
  op.outputs = {to};
  op.attributes["perm"] = order;
  return op;
}

bool IsImage(const Tensor& tensor) { return tensor.type.shape.rank() == 4; }

bool Transposes(const Op& op, const Order& order) {
  if (!op.Is(Movement::kTranspose)) return false;
  const auto perm = op.attributes.find("perm");
  return perm != op.attributes.end() && perm->second == AttributeValue(order);
}

class LayoutChanger {
 public:
  // `graph` must outlive it.
  LayoutChanger(Graph& graph, absl::string_view layout)
      : graph_(graph),
        layout_(layout),
        own_(layout == "nchw" ? "nhwc" : "nchw"),
        to_new_(OrderTo(layout)),
        to_own_(OrderTo(own_)),
        first_(graph.ops().empty() ? nullptr : &graph.ops().front()) {}

  void Run() {
    for (Tensor*& input : graph_.inputs) {
      const bool is_other = LayoutOfInput(input->type.shape, graph_.layout) != layout_;
      if (IsImage(*input) && is_other) input = NewInput(input);
    }
    const bool changes_outputs = graph_.layout != layout_;
    for (size_t i = 0; changes_outputs && i < graph_.outputs.size(); ++i) {
      Tensor* const output = graph_.outputs[i];
      if (!IsImage(*output)) continue;
      Tensor*& changed = changed_[output];
      if (changed == nullptr) changed = NewOutput(output);
      graph_.outputs[i] = changed;
    }
    graph_.RemoveDead();
  }

 private:
  // A tensor with the images of `tensor`, which gives it its name.
  Tensor* Sibling(Tensor* tensor) {
    std::string name = tensor->name;
    graph_.Rename(tensor, graph_.UniqueName(absl::StrCat(name, ".", own_)));
    return graph_.AddTensor(std::move(name), InOrder(tensor->type, to_new_));
  }

  void AddTranspose(Tensor* from, const Order& order, Tensor* to, std::vector<std::string> origins,
                    Op* before) {
    Op op = Transpose(from, order, to);
    op.origins = std::move(origins);
    graph_.AddOp(std::move(op), before);
  }

  // Layers that transpose the input's images to the new layout read them as they come.
  Tensor* NewInput(Tensor* network) {
    Tensor* const input = Sibling(network);
    const std::vector<Op*> users = network->users;
    for (Op* user : users) {
      if (Transposes(*user, to_new_) && !graph_.IsOutput(user->output())) {
        graph_.ReplaceUses(user->output(), input);
      }
    }
    AddTranspose(input, to_own_, network, {input->name}, first_);
    changed_[network] = input;
    return input;
  }

  Tensor* NewOutput(Tensor* network) {
    const Op* producer = network->producer;
    if (producer != nullptr && Transposes(*producer, to_own_)) {
      Tensor* const before = producer->inputs[0];
      if (before->producer != nullptr) return before;
    }
    std::vector<std::string> origins = {network->name};
    if (producer != nullptr) origins = producer->origins;
    Tensor* const output = Sibling(network);
    AddTranspose(network, to_new_, output, std::move(origins), nullptr);
    return output;
  }

  Graph& graph_;
  const std::string layout_, own_;  // the new one, and the other one
  const Order to_new_, to_own_;
  Op* const first_;
  // Images that are inputs and outputs, by the network's tensor.
  std::map<const Tensor*, Tensor*> changed_;
};

}  // namespace

Graph WithLayout(const Graph& graph, absl::string_view layout) {
  Graph changed = graph.Clone();
  LayoutChanger(changed, layout).Run();
  changed.layout = std::string(layout);
  return changed;
}

absl::StatusOr<Constant> ImagesInLayout(const TensorType& type, const Constant& values,
                                        absl::string_view layout) {
  const Order order = OrderTo(layout);
  Tensor from, to;
  from.type = type;
  from.constant = std::make_shared<const Constant>(values);
  to.type = InOrder(type, order);
  ASSIGN_OR_RETURN(const std::vector<Constant> results, EvaluateOp(Transpose(&from, order, &to)));
  return results[0];
}

}  // namespace synap_internal
