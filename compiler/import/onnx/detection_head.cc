#include "compiler/import/onnx/detection_head.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/node_graph.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {
namespace {

// Nodes of a chain that is followed; detectors have fewer.
constexpr int kLongestChain = 64;
// Nodes on the ways to scores: a few for each class.
constexpr int kMostScoreSteps = 100'000;
// More boxes of a class than a network keeps: exporters write such a number for all.
constexpr double kAllBoxes = 1e6;

using OpNames = absl::flat_hash_set<absl::string_view>;

bool IsOneOf(const onnx::NodeProto* node, const OpNames& ops) {
  return node != nullptr && ops.contains(node->op_type());
}

// Operators whose output holds the elements of operand 0 in the same order, in dimensions that
// differ by ones at most.
const OpNames& Wrapping() {
  static const OpNames* const kOps = new OpNames{"Identity", "Cast", "Unsqueeze", "Squeeze"};
  return *kOps;
}

const OpNames& GatheringRows() {
  static const OpNames* const kOps =
      new OpNames{"Gather", "GatherElements", "GatherND", "Compress"};
  return *kOps;
}

// How the scores that a suppression reads follow from a tensor of the network.
enum class ScoreKind {
  kPlain,    // its elements, [N] or [N,C]
  kTable,    // [N,C] or [1,N,C], flattened
  kColumn,   // a class of [N,C]
  kMaximum,  // the largest of each row
};

struct ScoreSource {
  ScoreKind kind = ScoreKind::kPlain;
  std::string tensor;
  int64_t column = -1;
};

class Cutter {
 public:
  explicit Cutter(Model& model)
      : model_(model), graph_(*model.proto->mutable_graph()), nodes_(graph_) {}

  absl::optional<DetectionHead> Run() {
    std::vector<std::string> suppressed;
    for (const onnx::ValueInfoProto& output : graph_.output()) {
      const bool depends = nodes_.IsSuppressed(output.name());
      (depends ? suppressed : head_.dropped).push_back(output.name());
    }
    if (suppressed.empty() || nodes_.suppressions().empty()) return absl::nullopt;
    const NodeSet results = NodesBefore(nodes_, suppressed);
    const onnx::NodeProto& suppression = *nodes_.suppressions()[0];
    // That of constants is a constant.
    if (nodes_.IsConstant(OperandName(suppression, 0)) &&
        nodes_.IsConstant(OperandName(suppression, 1))) {
      return absl::nullopt;
    }
    head_.node = Where(suppression);
    if (nodes_.suppressions().size() > 1) {
      head_.refusal =
          absl::StrCat("the model has ", nodes_.suppressions().size(), " of them, expected one");
    } else if (const onnx::NodeProto* next = FindSecondStage(nodes_, results)) {
      Refuse(absl::StrCat(Where(*next), " follows it, expected the network's end"));
    } else if (Recognize(suppression)) {
      NoteClassChoice(results);
      Apply();
    }
    return std::move(head_);
  }

 private:
  bool Refuse(const std::string& why) {
    head_.refusal = why;
    return false;
  }

  onnx::NodeProto* Producer(const std::string& tensor) const { return nodes_.Producer(tensor); }

  // Whether it may keep a box: a number that is computed may let it.
  bool KeepsBoxes(const onnx::NodeProto& suppression) const {
    const std::string& most = OperandName(suppression, 2);
    return !most.empty() && nodes_.Number(most).value_or(1) > 0;
  }

  bool Recognize(const onnx::NodeProto& suppression) {
    if (!KeepsBoxes(suppression)) {
      return Refuse(
          "its 'max_output_boxes_per_class' is absent or 0, by which it keeps no boxes at all, "
          "expected a number above 0");
    }
    std::string boxes = OperandName(suppression, 0);
    std::string scores = OperandName(suppression, 1);
    const absl::optional<std::string> unmoved = WithoutClassOffset(boxes);
    const bool is_reduced =
        unmoved.has_value() || nodes_.IsDynamic(boxes) || nodes_.IsDynamic(scores);
    if (unmoved.has_value()) boxes = WithoutScale(*unmoved);
    if (is_reduced) {
      boxes = Unwrapped(boxes);
      if (!KeepAllRows(boxes) || !FindReducedScores(scores)) return false;
      head_.boxes = Resolved(boxes, kLongestChain);
      moves_ = unmoved.has_value();
      of_any_class_ = !moves_ && !(is_plain_ && leaves_classes_apart_);
    } else {
      head_.boxes = OutOfBranch(boxes);
      head_.scores = OutOfBranch(scores);
      const std::string largest = Unwrapped(head_.scores);
      if (IsOneOf(Producer(largest), {"ReduceMax"})) {
        head_.scores = OperandName(*Producer(largest), 0);
        only_best_ = of_any_class_ = true;
      }
    }
    if (nodes_.IsInner(head_.boxes) || nodes_.IsInner(head_.scores)) {
      return Refuse("its boxes or scores are computed in a branch of an If");
    }
    WriteFormat(suppression);
    return true;
  }

  // Follows operand 0 while the operator only wraps it.
  std::string Unwrapped(std::string tensor) const {
    for (int i = 0; i < kLongestChain && IsOneOf(Producer(tensor), Wrapping()); ++i) {
      tensor = OperandName(*Producer(tensor), 0);
    }
    return tensor;
  }

  std::string OutOfBranch(std::string tensor) const {
    for (int i = 0; i < kLongestChain && nodes_.IsInner(tensor); ++i) {
      if (!IsOneOf(Producer(tensor), Wrapping())) break;
      tensor = OperandName(*Producer(tensor), 0);
    }
    return tensor;
  }

  // Notes what tells classes apart where the scores alone may not.
  void NoteClassChoice(const NodeSet& results) {
    if (only_best_ || has_background_) return;
    std::vector<std::string> outputs = parts_;
    outputs.insert(outputs.end(), {head_.boxes, head_.scores});
    const NodeSet kept = NodesBefore(nodes_, outputs, identities_);
    if (const onnx::NodeProto* choice = FindClassChoice(nodes_, results, kept)) {
      const bool is_top = choice->op_type() == "TopK";
      head_.class_choice =
          ClassChoice{absl::StrCat(Where(*choice), " chooses among several"),
                      OperandName(*choice, 0), IntAttribute(*choice, "axis", is_top ? -1 : 0)};
    } else if (moves_ && is_plain_) {
      head_.class_choice = ClassChoice{"its boxes are moved apart by several", "", 0};
    }
  }

  // The boxes if `tensor` is their sum with a multiple of their classes, maybe joined with no other
  // columns.
  absl::optional<std::string> WithoutClassOffset(const std::string& tensor) const {
    const std::string inner = Unwrapped(tensor);
    const onnx::NodeProto* node = Producer(inner);
    if (node == nullptr) return absl::nullopt;
    if (node->op_type() == "Add" && node->input_size() == 2) {
      for (const int i : {0, 1}) {
        if (FollowsFromClasses(node->input(1 - i))) return node->input(i);
      }
    }
    if (node->op_type() != "Concat" || node->input_size() != 2) return absl::nullopt;
    const onnx::NodeProto* first = Producer(Unwrapped(node->input(0)));
    const bool is_rest = IsOneOf(Producer(node->input(1)), {"Slice"});
    if (!is_rest || !IsOneOf(first, {"Add"})) return absl::nullopt;
    return WithoutClassOffset(node->input(0));
  }

  // Whether it is a number above the farthest coordinate, torchvision's step from class to class.
  bool IsStep(const std::string& tensor) const {
    const onnx::NodeProto* sum = Producer(Unwrapped(tensor));
    return IsOneOf(sum, {"Add"}) &&
           std::any_of(sum->input().begin(), sum->input().end(), [&](const std::string& operand) {
             const std::string inner = Unwrapped(operand);
             return IsOneOf(Producer(inner), {"ReduceMax"}) && !nodes_.IsConstant(inner);
           });
  }

  // Whether a tensor is a multiple of indices that stand for classes. Constants aren't, such as the
  // grid that boxes are relative to.
  bool FollowsFromClasses(const std::string& tensor) const {
    static const OpNames* const kPassed =
        new OpNames{"Identity", "Cast",   "Unsqueeze", "Squeeze", "Slice",         "Expand",
                    "Reshape",  "Gather", "GatherND",  "Concat",  "GatherElements"};
    std::vector<std::string> waiting = {tensor};
    for (int i = 0; i < kLongestChain && !waiting.empty(); ++i) {
      const std::string name = waiting.back();
      waiting.pop_back();
      const onnx::NodeProto* node = Producer(name);
      if (node == nullptr || nodes_.IsConstant(name)) continue;
      const std::string& op = node->op_type();
      if (op == "ArgMax" || op == "Mod" || op == "ConstantOfShape") return true;
      if (op == "TopK" && node->output_size() > 1 && node->output(1) == name) return true;
      if (op == "Mul") {
        for (const std::string& factor : node->input()) {
          if (IsStep(factor)) return true;
          waiting.push_back(factor);
        }
      }
      if (kPassed->contains(op)) waiting.push_back(OperandName(*node, 0));
    }
    return false;
  }

  // Whether it is one constant number.
  bool IsNumber(const std::string& tensor) const {
    if (nodes_.Number(tensor).has_value()) return true;
    const onnx::NodeProto* node = Producer(Unwrapped(tensor));
    return nodes_.IsConstant(tensor) && IsOneOf(node, {"ReduceMax"}) &&
           IntAttribute(*node, "keepdims", 1) == 0;
  }

  // The boxes before they are multiplied or divided by numbers. Overlaps don't change with them.
  std::string WithoutScale(std::string tensor) const {
    for (int i = 0; i < kLongestChain; ++i) {
      tensor = Unwrapped(tensor);
      const onnx::NodeProto* node = Producer(tensor);
      const bool scales = IsOneOf(node, {"Mul", "Div"}) && IsNumber(OperandName(*node, 1));
      if (!scales && !(IsOneOf(node, {"Slice"}) && TakesFirstFour(*node))) break;
      tensor = OperandName(*node, 0);
    }
    return tensor;
  }

  bool TakesFirstFour(const onnx::NodeProto& slice) const {
    return nodes_.Number(OperandName(slice, 1)) == 0.0 &&
           nodes_.Number(OperandName(slice, 2)) == 4.0;
  }

  // Notes the nodes that reduce the rows of `tensor`, so that they become Identity. False if
  // something else depends on values.
  bool KeepAllRows(const std::string& tensor) {
    std::vector<std::string> waiting = {tensor};
    absl::flat_hash_set<const onnx::NodeProto*> seen;
    std::vector<onnx::NodeProto*> joints;
    while (!waiting.empty()) {
      const std::string name = waiting.back();
      waiting.pop_back();
      if (!nodes_.IsDynamic(name)) continue;
      onnx::NodeProto* node = Producer(name);
      if (!seen.insert(node).second) continue;
      if (IsOneOf(node, GatheringRows()) && nodes_.IsDynamic(OperandName(*node, 1))) {
        identities_[node] = OperandName(*node, 0);
        waiting.push_back(OperandName(*node, 0));
      } else if (IsOneOf(node, {"NonZero", "TopK", "Unique", "NonMaxSuppression", "If", "Loop",
                                "Scan"})) {
        return Refuse(absl::StrCat("its boxes are computed by ", Where(*node)));
      } else {
        waiting.insert(waiting.end(), node->input().begin(), node->input().end());
      }
      if (node->op_type() == "Concat") joints.push_back(node);
    }
    // Each class has a list of its own, which are all the same now.
    for (onnx::NodeProto* joint : joints) {
      const std::string same = Resolved(joint->output(0), kLongestChain);
      if (same != joint->output(0)) identities_[joint] = same;
    }
    return true;
  }

  // The tensor that `tensor` equals, by the nodes that become Identity.
  std::string Resolved(std::string tensor, int depth) {
    if (const auto known = resolved_.find(tensor); known != resolved_.end()) return known->second;
    const std::string first = tensor;
    for (int i = 0; i < depth; ++i) {
      const onnx::NodeProto* node = Producer(tensor);
      if (node == nullptr) break;
      if (const auto it = identities_.find(node); it != identities_.end()) {
        tensor = it->second;
      } else if (node->op_type() == "Identity") {
        tensor = OperandName(*node, 0);
      } else if (node->op_type() == "Concat" && node->input_size() > 1) {
        absl::flat_hash_set<std::string> parts;
        for (const std::string& part : node->input()) parts.insert(Resolved(part, depth / 2));
        if (parts.size() != 1) break;
        tensor = *parts.begin();
      } else {
        break;
      }
    }
    return resolved_[first] = tensor;
  }

  bool FindReducedScores(const std::string& scores) {
    std::vector<ScoreSource> sources;
    if (!AddScoreSources(scores, kLongestChain, sources) || sources.empty()) {
      return Refuse("where its scores come from isn't recognized");
    }
    const ScoreSource& first = sources[0];
    const bool alike = std::all_of(sources.begin(), sources.end(), [&](const ScoreSource& source) {
      return source.kind == first.kind;
    });
    if (!alike || (first.kind == ScoreKind::kMaximum && sources.size() > 1)) {
      return Refuse("its scores come from tensors of different forms");
    }
    if (first.kind == ScoreKind::kColumn) return FindColumns(sources);
    only_best_ = first.kind == ScoreKind::kMaximum;
    for (const ScoreSource& source : sources) parts_.push_back(source.tensor);
    is_plain_ = first.kind == ScoreKind::kPlain;
    unsqueezes_ = is_plain_ && (parts_.size() > 1 || added_dims_ > 0);
    return true;
  }

  // The classes of one table, in their order; the first one may be missing, the background.
  bool FindColumns(const std::vector<ScoreSource>& sources) {
    const int64_t begin = sources[0].column;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].tensor == sources[0].tensor &&
          sources[i].column == begin + static_cast<int64_t>(i)) {
        continue;
      }
      return Refuse("its scores aren't the classes of one tensor in their order");
    }
    if (begin > 1) return Refuse(absl::StrCat("its first class is number ", begin));
    has_background_ = begin == 1;
    parts_ = {sources[0].tensor};
    head_.classes = begin + static_cast<int64_t>(sources.size());
    return true;
  }

  // Follows the scores to where no row of them was left out yet.
  bool AddScoreSources(std::string tensor, int budget, std::vector<ScoreSource>& sources) {
    for (; budget > 0; --budget) {
      // Joints of joints of the same tensors would take for ever.
      if (++score_steps_ > kMostScoreSteps) return false;
      const onnx::NodeProto* node = Producer(tensor);
      const bool dynamic = nodes_.IsDynamic(tensor);
      if (IsOneOf(node, Wrapping()) && (dynamic || nodes_.IsInner(tensor))) {
        added_dims_ += node->op_type() == "Unsqueeze" ? 1 : node->op_type() == "Squeeze" ? -1 : 0;
        tensor = OperandName(*node, 0);
      } else if (dynamic && IsOneOf(node, {"Concat"})) {
        for (const std::string& part : node->input()) {
          if (!AddScoreSources(part, budget - 1, sources)) return false;
        }
        return true;
      } else if (dynamic && IsTopOne(nodes_, *node)) {
        sources.push_back({ScoreKind::kMaximum, OperandName(*node, 0), -1});
        return tensor == node->output(0) && IsFixed(sources.back().tensor);
      } else if (dynamic && (IsOneOf(node, {"TopK"}) || IsOneOf(node, GatheringRows()))) {
        if (node->op_type() != "TopK") NoteGather(*node);
        tensor = OperandName(*node, 0);
      } else if (dynamic && IsColumn(*node)) {
        tensor = OperandName(*node, 0);
      } else if (dynamic) {
        return false;
      } else if (IsBatchOfOne(node)) {
        --added_dims_;
        tensor = OperandName(*node, 0);
      } else {
        sources.push_back(SourceOf(tensor, node));
        return !tensor.empty() && IsFixed(sources.back().tensor);
      }
    }
    return false;
  }

  // Whether the rows are those of the network, in the main graph.
  bool IsFixed(const std::string& tensor) const {
    return !nodes_.IsDynamic(tensor) && !nodes_.IsInner(tensor);
  }

  // Whether it gives other dimensions to the largest score of each row.
  bool IsColumn(const onnx::NodeProto& node) const {
    if (!IsOneOf(&node, {"Transpose", "Reshape", "Flatten"})) return false;
    const onnx::NodeProto* source = Producer(Unwrapped(OperandName(node, 0)));
    return source != nullptr && IsTopOne(nodes_, *source);
  }

  bool IsBatchOfOne(const onnx::NodeProto* node) const {
    return IsOneOf(node, {"Gather"}) && IntAttribute(*node, "axis", 0) == 0 &&
           nodes_.Number(OperandName(*node, 1)) == 0.0;
  }

  ScoreSource SourceOf(const std::string& tensor, const onnx::NodeProto* node) const {
    if (IsOneOf(node, {"Gather"})) {
      const absl::optional<double> column = nodes_.Number(OperandName(*node, 1));
      if (column.has_value() && *column >= 0 && *column < kAllBoxes) {
        return {ScoreKind::kColumn, OperandName(*node, 0), static_cast<int64_t>(*column)};
      }
    }
    if (IsOneOf(node, {"Reshape", "Flatten"})) {
      return {ScoreKind::kTable, OperandName(*node, 0), -1};
    }
    if (IsOneOf(node, {"ReduceMax"})) return {ScoreKind::kMaximum, OperandName(*node, 0), -1};
    return {ScoreKind::kPlain, tensor, -1};
  }

  // Of scores, by indices.
  void NoteGather(const onnx::NodeProto& gather) {
    // Rows are along dimension 0. Another one comes after that of the classes.
    if (IntAttribute(gather, "axis", 0) != 0) leaves_classes_apart_ = true;
    NoteThreshold(OperandName(gather, 1), OperandName(gather, 0));
  }

  // `indices` of those `scores` that are above a number. Where other values are compared, the
  // number isn't a limit of the scores.
  void NoteThreshold(std::string indices, const std::string& scores) {
    static const OpNames* const kPassed =
        new OpNames{"Transpose", "Squeeze", "Split", "Reshape", "Identity", "Cast", "NonZero"};
    for (int i = 0; i < kLongestChain && IsOneOf(Producer(indices), *kPassed); ++i) {
      indices = OperandName(*Producer(indices), 0);
    }
    const onnx::NodeProto* node = Producer(indices);
    if (!IsOneOf(node, {"Greater", "GreaterOrEqual"})) return;
    if (Unwrapped(OperandName(*node, 0)) != Unwrapped(scores)) return;
    const absl::optional<double> number = nodes_.Number(OperandName(*node, 1));
    if (!number.has_value()) return;
    score_threshold_ = std::min(*number, score_threshold_.value_or(*number));
  }

  void WriteFormat(const onnx::NodeProto& suppression) {
    const bool is_centered = IntAttribute(suppression, "center_point_box", 0) == 1;
    const bool x_first = moves_ || model_.proto->producer_name() == "pytorch";
    head_.y_first = !is_centered && !x_first;
    head_.format = absl::StrCat("nms_input box=", is_centered     ? "xywh"
                                                  : head_.y_first ? "yxyx"
                                                                  : "xyxy");
    std::string& format = head_.format;
    if (has_background_) absl::StrAppend(&format, " background=0");
    if (only_best_) absl::StrAppend(&format, " best=1");
    if (of_any_class_) absl::StrAppend(&format, " nms=any");
    const absl::optional<double> score = nodes_.Number(OperandName(suppression, 4));
    if (score.has_value()) score_threshold_ = std::max(*score, score_threshold_.value_or(*score));
    if (score_threshold_.value_or(0) > 0) {
      absl::StrAppend(&format, " score_threshold=", *score_threshold_);
    }
    // Without the operand, its default holds. A computed one is the application's choice.
    const std::string& overlap = OperandName(suppression, 3);
    const absl::optional<double> iou = overlap.empty() ? 0 : nodes_.Number(overlap);
    if (iou.has_value()) absl::StrAppend(&format, " iou_threshold=", *iou);
    const double most = nodes_.Number(OperandName(suppression, 2)).value_or(0);
    if (!moves_ && !of_any_class_ && most > 0 && most < kAllBoxes) {
      absl::StrAppend(&format, " max_per_class=", most);
    }
  }

  std::string FreeName(const std::string& wanted) const {
    std::string name = wanted;
    for (int suffix = 1; nodes_.IsTaken(name); ++suffix) name = absl::StrCat(wanted, ".", suffix);
    return name;
  }

  // The scores of all boxes as one tensor.
  std::string JoinedScores() {
    std::string scores = parts_[0];
    if (parts_.size() > 1) {
      onnx::NodeProto& joint = *graph_.add_node();
      joint.set_op_type("Concat");
      for (const std::string& part : parts_) joint.add_input(part);
      scores = FreeName("scores");
      joint.add_output(scores);
      onnx::AttributeProto& axis = *joint.add_attribute();
      axis.set_name("axis");
      axis.set_type(onnx::AttributeProto::INT);
      axis.set_i(unsqueezes_ ? 0 : -2);
    }
    return unsqueezes_ ? Unsqueezed(scores) : scores;
  }

  std::string Unsqueezed(const std::string& scores) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("Unsqueeze");
    node.add_input(scores);
    constexpr int kAxesAreAnOperand = 13;
    if (model_.opset >= kAxesAreAnOperand) {
      onnx::TensorProto& axes = *graph_.add_initializer();
      axes.set_name(FreeName("scores_axes"));
      axes.set_data_type(onnx::TensorProto::INT64);
      axes.add_dims(1);
      axes.add_int64_data(0);
      node.add_input(axes.name());
    } else {
      onnx::AttributeProto& axes = *node.add_attribute();
      axes.set_name("axes");
      axes.set_type(onnx::AttributeProto::INTS);
      axes.add_ints(0);
    }
    node.add_output(FreeName("class_scores"));
    return node.output(0);
  }

  void Apply() {
    head_.rewrites = !identities_.empty() || !parts_.empty();
    for (const auto& [node, operand] : identities_) {
      const std::string output = node->output(0);
      const std::string label = node->name();
      node->Clear();
      node->set_op_type("Identity");
      node->set_name(label);
      node->add_input(operand);
      node->add_output(output);
    }
    if (!parts_.empty()) head_.scores = JoinedScores();
    graph_.clear_output();
    graph_.add_output()->set_name(head_.boxes);
    graph_.add_output()->set_name(head_.scores);
  }

  Model& model_;
  onnx::GraphProto& graph_;
  const NodeGraph nodes_;
  DetectionHead head_;
  absl::flat_hash_map<onnx::NodeProto*, std::string> identities_;  // with their operands
  absl::flat_hash_map<std::string, std::string> resolved_;
  std::vector<std::string> parts_;     // of the scores
  bool is_plain_ = false;              // the parts' elements are the scores
  bool unsqueezes_ = false;            // the joined parts
  int added_dims_ = 0;                 // from the scores' source to the suppression
  bool moves_ = false;                 // boxes, by multiples of their classes
  bool leaves_classes_apart_ = false;  // chooses boxes, but of all classes alike
  bool has_background_ = false, only_best_ = false, of_any_class_ = false;
  absl::optional<double> score_threshold_;
  int score_steps_ = 0;
};

}  // namespace

absl::optional<DetectionHead> CutDetectionHead(Model& model) { return Cutter(model).Run(); }

}  // namespace synap_internal::onnx_import
