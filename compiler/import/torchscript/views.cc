#include "compiler/import/torchscript/views.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"

namespace synap_internal::torchscript_import {
namespace {

bool AreDisjoint(const Region& a, const Region& b) {
  const auto begin = [](const AxisSlice& s) {
    return std::min(s.start, s.start + (s.size - 1) * s.step);
  };
  const auto end = [](const AxisSlice& s) {
    return std::max(s.start, s.start + (s.size - 1) * s.step) + 1;
  };
  if (a.axis != b.axis || a.slice.size == 0 || b.slice.size == 0) return false;
  return end(a.slice) <= begin(b.slice) || end(b.slice) <= begin(a.slice);
}

// Whether all writes that the view hasn't seen were to other parts of its whole.
bool IsUntouched(const Variable& view) {
  // Looking at more would take long for views that are read once more after each of many writes.
  constexpr ptrdiff_t kMaxWrites = 1024;
  const std::vector<Write>& log = view.storage->log;
  if (view.whole == nullptr || !view.region.has_value()) return false;
  if (view.storage->writes - view.seen_writes > kMaxWrites) return false;
  int unknown = view.storage->writes;  // the last write that isn't known to be elsewhere
  for (auto write = log.rbegin(); write != log.rend() && write->number > view.seen_writes;
       ++write) {
    if (write->number != unknown) continue;
    const bool same_whole = write->whole.lock() == view.whole;
    if (same_whole && AreDisjoint(write->region, *view.region)) --unknown;
  }
  return unknown <= view.seen_writes;
}

bool IsCurrent(Variable& variable) {
  if (!variable.current() && IsUntouched(variable)) {
    variable.seen_writes = variable.storage->writes;
  }
  return variable.current();
}

// Whether `whole` has the shape that it had when the view was made.
bool HasSameShape(const Variable& view) { return view.whole_shape == view.whole->shape_changes; }

// `whole` with `part` where the region is.
Emitted Replaced(NodeContext& node, Tensor* whole, const Region& region, Tensor* part) {
  const auto axis = static_cast<size_t>(region.axis);
  std::vector<int64_t> dims = whole->type.shape.dims();
  dims[axis] = region.slice.size;
  return EmitReplacedSlice(node, whole, node.Reshape(part, std::move(dims), ".part"), axis,
                           region.slice, ".written");
}

// Whether a view has the elements of what it is a view of, in the same order.
bool IsInOrder(const Tensor& source, const Tensor& view) {
  return &source == &view || (view.producer != nullptr && view.producer->Is(Movement::kReshape) &&
                              view.producer->inputs[0] == &source);
}

// What the whole of a view is after a write to the view.
Emitted WrittenWhole(NodeContext& node, const Variable& view) {
  Tensor* whole = view.whole->tensor;
  if (view.region.has_value()) return Replaced(node, whole, *view.region, view.tensor);
  return node.Reshape(view.tensor, whole->type.shape.dims(), ".written");
}

// Whether a write to the view is one to its whole that can be told.
bool WritesToWhole(const Variable& view) {
  return view.whole != nullptr && HasSameShape(view) && (view.region.has_value() || view.in_order);
}

}  // namespace

void ShareMemory(Result kind, const std::shared_ptr<Variable>& whole,
                 const std::optional<Region>& region, std::function<Emitted()> remake,
                 Variable& view) {
  if (&view == whole.get()) return;
  const bool converts = view.tensor->type.dtype != whole->tensor->type.dtype;
  if (converts && kind == Result::kViewOrCopy) return;
  const bool in_order = IsInOrder(*whole->tensor, *view.tensor);
  view.is_strided |= whole->is_strided || !in_order;
  view.is_contiguous |= whole->is_contiguous && in_order;
  view.storage = whole->storage;
  view.seen_writes = view.storage->writes;
  if (!view.is_uint8.has_value()) view.is_uint8 = whole->is_uint8;
  if (kind == Result::kViewOrCopy) return;
  view.whole = whole;
  view.whole_shape = whole->shape_changes;
  view.region = region;
  view.in_order = kind == Result::kOrderedView;
  view.remake = std::move(remake);
}

absl::Status Refresh(Variable& variable) {
  std::vector<Variable*> stale;
  for (Variable* view = &variable; !IsCurrent(*view); view = view->whole.get()) {
    if (view->whole == nullptr || view->remake == nullptr || !HasSameShape(*view)) {
      return absl::OkStatus();
    }
    stale.push_back(view);
  }
  for (auto view = stale.rbegin(); view != stale.rend(); ++view) {
    ASSIGN_OR_RETURN((*view)->tensor, (*view)->remake());
    (*view)->seen_writes = (*view)->storage->writes;
  }
  return absl::OkStatus();
}

absl::Status Assign(NodeContext& node, Variable& variable, Tensor* result) {
  if (variable.storage->kept) {
    return absl::UnimplementedError(
        "it changes an attribute of the module in place, which the next call would see");
  }
  for (Variable* view = &variable; WritesToWhole(*view); view = view->whole.get()) {
    RETURN_IF_ERROR(Refresh(*view->whole));
    if (view->whole->current()) continue;
    return absl::UnimplementedError(absl::StrCat("it writes to a part of '",
                                                 view->whole->tensor->name,
                                                 "', which was changed through another view "
                                                 "before"));
  }
  const int written = ++variable.storage->writes;
  variable.tensor = result;
  variable.seen_writes = written;
  for (Variable* view = &variable; WritesToWhole(*view); view = view->whole.get()) {
    Variable& whole = *view->whole;
    ASSIGN_OR_RETURN(whole.tensor, WrittenWhole(node, *view));
    whole.seen_writes = written;
    if (view->region.has_value()) {
      variable.storage->log.push_back({written, view->whole, *view->region});
    }
  }
  return absl::OkStatus();
}

void ChangeShape(Variable& variable, Tensor* result) {
  if (variable.tensor == result) return;
  const bool in_order = IsInOrder(*variable.tensor, *result);
  variable.is_strided |= !in_order;
  variable.is_contiguous &= in_order;
  variable.tensor = result;
  ++variable.shape_changes;
  variable.whole = nullptr;
  variable.remake = nullptr;
}

}  // namespace synap_internal::torchscript_import
