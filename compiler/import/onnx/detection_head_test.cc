// Detectors that end in a non-maximum suppression, as exporters write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "compiler/import/evaluate_graph.h"
#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kFloat = onnx::TensorProto::FLOAT;

std::vector<std::string> NamesOf(const std::vector<Tensor*>& tensors) {
  std::vector<std::string> names;
  for (const Tensor* tensor : tensors) names.push_back(tensor->name);
  return names;
}

// The format of the outputs that remain; their names or the error instead if there is none.
std::string FormatOf(const TestModel& model) {
  const absl::StatusOr<Graph> graph = model.Import();
  return graph.ok() ? graph->format : std::string(graph.status().message());
}

// Boxes of six rows and scores of two classes, and the thresholds.
TestModel Network() {
  TestModel model;
  model.Input("image", {1, 3, 32, 48})
      .Input("boxes", {1, 6, 4})
      .Input("scores", {1, 2, 6})
      .Ints("most", {1}, {5})
      .Ints("every", {1}, {INT64_MAX})
      .Floats("iou", {1}, {0.45f})
      .Floats("least", {1}, {0.25f});
  return model;
}

TEST(DetectionHeadTest, TheOperandsOfASuppressionBecomeTheOutputs) {
  TestModel model = Network();
  model.Node("Sigmoid", {"scores"}, {"activated"})
      .Node("Relu", {"image"}, {"raw"})
      .Node("NonMaxSuppression", {"boxes", "activated", "most", "iou", "least"}, {"kept"})
      .Ints("two", {}, {2})
      .Node("Gather", {"kept", "two"}, {"index"}, {{"axis", int64_t{1}}})
      .Node("Gather", {"boxes", "index"}, {"chosen"}, {{"axis", int64_t{1}}})
      .Output("chosen")
      .Output("raw");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "activated"));
  EXPECT_EQ(graph->format,
            "nms_input box=yxyx score_threshold=0.25 iou_threshold=0.45 max_per_class=5");
}

TEST(DetectionHeadTest, BoxesAreAsTheOperatorOrTheExporterHasThem) {
  TestModel centered = Network();
  centered.Node("NonMaxSuppression", {"boxes", "scores", "most", "iou"}, {"kept"},
                {{"center_point_box", int64_t{1}}});
  EXPECT_EQ(FormatOf(centered.Output("kept")),
            "nms_input box=xywh iou_threshold=0.45 max_per_class=5");
  TestModel torch = Network();
  torch.proto().set_producer_name("pytorch");
  torch.Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"kept"});
  EXPECT_EQ(FormatOf(torch.Output("kept")), "nms_input box=xyxy iou_threshold=0");
}

TEST(DetectionHeadTest, WithoutANumberOfBoxesItKeepsNone) {
  for (const char* most : {"", "zero"}) {
    TestModel model = Network();
    model.Ints("zero", {1}, {0}).Node("NonMaxSuppression", {"boxes", "scores", most, "iou"}, {"k"});
    EXPECT_THAT(FormatOf(model.Output("k")),
                HasSubstr("node 'k_node' (NonMaxSuppression) can't be cut off: its "
                          "'max_output_boxes_per_class' is absent or 0"));
  }
}

TEST(DetectionHeadTest, ThresholdsThatAreInputsAreTheApplications) {
  TestModel model = Network();
  model.Input("t", {1}).Node("NonMaxSuppression", {"boxes", "scores", "most", "t", "t"}, {"kept"});
  EXPECT_EQ(FormatOf(model.Output("kept")), "nms_input box=yxyx max_per_class=5");
}

TEST(DetectionHeadTest, ConstantNodesAreRead) {
  TestModel model = Network();
  model.Ints("axis", {1}, {0})
      .Node("Constant", {}, {"iou_number"}, {{"value_float", 0.6f}})
      .Node("Unsqueeze", {"iou_number", "axis"}, {"iou_row"})
      .Node("Identity", {"iou_row"}, {"iou_constant"})
      .Node("Constant", {}, {"score_list"}, {{"value_floats", std::vector<float>{0.3f}}})
      .Node("Squeeze", {"score_list", "axis"}, {"score_constant"})
      .Node("Constant", {}, {"most_number"}, {{"value_int", int64_t{7}}})
      .Node("Reshape", {"most_number", "most"}, {"most_constant"})
      .Node("Constant", {}, {"most_list"}, {{"value_ints", std::vector<int64_t>{8}}})
      .Node("Constant", {}, {"two"}, {{"value_floats", std::vector<float>{0.1f, 0.2f}}});
  const auto format = [&](const std::string& most, const std::string& score) {
    TestModel copy = model;
    copy.Node("NonMaxSuppression", {"boxes", "scores", most, "iou_constant", score}, {"kept"});
    return FormatOf(copy.Output("kept"));
  };
  EXPECT_EQ(format("most_constant", "score_constant"),
            "nms_input box=yxyx score_threshold=0.3 iou_threshold=0.6 max_per_class=7");
  EXPECT_EQ(format("most_list", "two"), "nms_input box=yxyx iou_threshold=0.6 max_per_class=8");
}

TEST(DetectionHeadTest, TheLargestScoreIsThatOfTheBestClass) {
  TestModel model = Network();
  model.Ints("axis", {1}, {1})
      .Node("ReduceMax", {"scores"}, {"largest"}, {{"axes", std::vector<int64_t>{1}}})
      .Node("NonMaxSuppression", {"boxes", "largest", "most", "iou"}, {"kept"})
      .Output("kept");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "scores"));
  EXPECT_EQ(graph->format, "nms_input box=yxyx best=1 nms=any iou_threshold=0.45");
}

TEST(DetectionHeadTest, TheMetafilesOutputsAreLeftAlone) {
  TestModel model = Network();
  model.Node("Relu", {"boxes"}, {"other"})
      .Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"kept"})
      .Output("kept");
  ImportOptions options;
  options.outputs = {"other"};
  const absl::StatusOr<Graph> graph = model.Import(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->format, "");
  options.outputs = {"kept"};
  EXPECT_THAT(model.Text(options), HasSubstr("its boxes or scores aren't constant"));
}

TEST(DetectionHeadTest, ASuppressionThatNoOutputNeedsIsIgnored) {
  TestModel model = Network();
  model.Node("Relu", {"boxes"}, {"y"})
      .Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"kept"})
      .Output("y");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("y"));
}

// mask -> the rows of `data` where it is true, as PyTorch exports data[mask].
void Select(TestModel& model, const std::string& data, const std::string& mask,
            const std::string& result) {
  model.Node("NonZero", {mask}, {result + ".places"})
      .Node("Transpose", {result + ".places"}, {result + ".rows"},
            {{"perm", std::vector<int64_t>{1, 0}}})
      .Node("GatherND", {data, result + ".rows"}, {result});
}

// torchvision.ops.nms of a list of boxes and of scores.
void Suppress(TestModel& model, const std::string& boxes, const std::string& scores) {
  model.Ints("nms.first", {1}, {0})
      .Ints("nms.all", {1}, {INT64_MAX})
      .Floats("nms.iou", {1}, {0.55f})
      .Node("Unsqueeze", {boxes, "nms.first"}, {"nms.boxes"})
      .Node("Unsqueeze", {scores, "nms.first"}, {"nms.row"})
      .Node("Unsqueeze", {"nms.row", "nms.first"}, {"nms.scores"})
      .Node("NonMaxSuppression", {"nms.boxes", "nms.scores", "nms.all", "nms.iou"}, {"kept"})
      .Output("kept");
}

// Ultralytics' `nms=True`: the best class of each row, above a threshold; boxes of 64 pixels as
// parts of a class's share.
TEST(DetectionHeadTest, BoxesMovedByTheirBestClassAreThoseBefore) {
  TestModel model;
  model.Input("rows", {1, 6, 7})
      .Ints("0", {}, {0})
      .Ints("from0", {1}, {0})
      .Ints("to4", {1}, {4})
      .Ints("to7", {1}, {7})
      .Ints("axis2", {1}, {2})
      .Ints("axis1", {1}, {1})
      .Ints("column", {2}, {-1, 1})
      .Floats("size", {}, {64})
      .Floats("share", {}, {1.0f / 3})
      .Floats("threshold", {}, {0.25f})
      .Node("Slice", {"rows", "from0", "to4", "axis2"}, {"all_boxes"})
      .Node("Slice", {"rows", "to4", "to7", "axis2"}, {"all_scores"})
      .Node("ReduceMax", {"all_scores"}, {"largest"},
            {{"axes", std::vector<int64_t>{2}}, {"keepdims", int64_t{0}}})
      .Node("ArgMax", {"all_scores"}, {"best"}, {{"axis", int64_t{2}}, {"keepdims", int64_t{0}}})
      .Node("Gather", {"all_boxes", "0"}, {"box"})
      .Node("Gather", {"best", "0"}, {"class"})
      .Node("Gather", {"largest", "0"}, {"score"})
      .Node("Greater", {"score", "threshold"}, {"mask"});
  Select(model, "box", "mask", "box_kept");
  Select(model, "score", "mask", "score_kept");
  Select(model, "class", "mask", "class_kept");
  model.Node("Div", {"box_kept", "size"}, {"part"})
      .Node("Mul", {"part", "share"}, {"scaled"})
      .Node("Reshape", {"class_kept", "column"}, {"class_column"})
      .Node("Cast", {"class_column"}, {"class_number"}, {{"to", kFloat}})
      .Node("Mul", {"class_number", "share"}, {"offset"})
      .Node("Slice", {"scaled", "from0", "to4", "axis1"}, {"corners"})
      .Node("Add", {"corners", "offset"}, {"moved"})
      .Node("Slice", {"scaled", "to4", "to7", "axis1"}, {"nothing"})
      .Node("Concat", {"moved", "nothing"}, {"nms_box"}, {{"axis", int64_t{-1}}});
  Suppress(model, "nms_box", "score_kept");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("box", "all_scores"));
  EXPECT_EQ(graph->format, "nms_input box=xyxy best=1 score_threshold=0.25 iou_threshold=0.55");
}

// The same by TopK, whose indices are the classes.
TEST(DetectionHeadTest, TheBestOfEachRowIsThatOfTheBestClass) {
  TestModel model;
  model.Input("boxes", {6, 4})
      .Input("scores", {6, 3})
      .Ints("1", {1}, {1})
      .Floats("step", {}, {4096})
      .Floats("threshold", {}, {0.25f})
      .Node("TopK", {"scores", "1"}, {"top", "class"}, {{"axis", int64_t{-1}}})
      .Node("Squeeze", {"top", "1"}, {"score"})
      .Node("Greater", {"score", "threshold"}, {"mask"});
  Select(model, "boxes", "mask", "box_kept");
  Select(model, "score", "mask", "score_kept");
  Select(model, "class", "mask", "class_kept");
  model.Node("Cast", {"class_kept"}, {"class_number"}, {{"to", kFloat}})
      .Node("Mul", {"class_number", "step"}, {"offset"})
      .Node("Add", {"box_kept", "offset"}, {"moved"});
  Suppress(model, "moved", "score_kept");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "scores"));
  EXPECT_EQ(graph->format, "nms_input box=xyxy best=1 score_threshold=0.25 iou_threshold=0.55");
}

TEST(DetectionHeadTest, TheBestOfEachRowMayBeTransposed) {
  TestModel model;
  model.Input("boxes", {1, 6, 4})
      .Input("scores", {1, 6, 3})
      .Ints("1", {1}, {1})
      .Ints("every", {1}, {INT64_MAX})
      .Node("TopK", {"scores", "1"}, {"top", "class"})
      .Node("Transpose", {"top"}, {"row"}, {{"perm", std::vector<int64_t>{0, 2, 1}}})
      .Node("NonMaxSuppression", {"boxes", "row", "every"}, {"kept"});
  EXPECT_EQ(FormatOf(model.Output("kept")), "nms_input box=yxyx best=1 nms=any iou_threshold=0");
}

// `conf` = obj * max(classes); the class beside it.
TestModel ClassBesideScore(int64_t classes, bool by_offset) {
  TestModel model;
  model.Input("boxes", {6, 4})
      .Input("classes", {6, classes})
      .Input("obj", {6})
      .Floats("threshold", {}, {0.25f})
      .Floats("step", {}, {4096})
      .Ints("axis1", {1}, {1})
      .Ints("2", {}, {2})
      .Node("ReduceMax", {"classes"}, {"largest"},
            {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}})
      .Node("Mul", {"obj", "largest"}, {"conf"})
      .Node("ArgMax", {"classes"}, {"label"}, {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}})
      .Node("Greater", {"obj", "threshold"}, {"mask"});
  Select(model, "boxes", "mask", "kept_boxes");
  Select(model, "conf", "mask", "kept_conf");
  Select(model, "label", "mask", "kept_label");
  model.Node("Cast", {"kept_label"}, {"number"}, {{"to", kFloat}})
      .Node("Mul", {"number", "step"}, {"offsets"})
      .Node("Unsqueeze", {"offsets", "axis1"}, {"offset"})
      .Node("Add", {"kept_boxes", "offset"}, {"moved"});
  Suppress(model, by_offset ? "moved" : "kept_boxes", "kept_conf");
  model.Node("Gather", {"kept", "2"}, {"index"}, {{"axis", int64_t{1}}})
      .Node("Gather", {"kept_label", "index"}, {"result"})
      .Output("result");
  return model;
}

TEST(DetectionHeadTest, AClassBesideTheScoresWouldBeLost) {
  constexpr char kError[] =
      "node 'kept_node' (NonMaxSuppression) can't be cut off: its scores are of one class, but "
      "node 'label_node' (ArgMax) chooses among several; name the tensors before it under "
      "'outputs' in the metafile";
  EXPECT_EQ(FormatOf(ClassBesideScore(3, false)), kError);
  EXPECT_EQ(FormatOf(ClassBesideScore(3, true)), kError);
  // The threshold is the objects', not the scores'.
  EXPECT_EQ(FormatOf(ClassBesideScore(1, false)), "nms_input box=yxyx nms=any iou_threshold=0.55");
  EXPECT_EQ(FormatOf(ClassBesideScore(1, true)), "nms_input box=xyxy iou_threshold=0.55");
}

TEST(DetectionHeadTest, AClassBesideTheScoresOfAllBoxesWouldBeLost) {
  TestModel model;
  model.Input("boxes", {1, 6, 4})
      .Input("classes", {1, 3, 6})
      .Input("obj", {1, 1, 6})
      .Ints("column", {1}, {2})
      .Ints("every", {1}, {INT64_MAX})
      .Node("ReduceMax", {"classes"}, {"largest"}, {{"axes", std::vector<int64_t>{1}}})
      .Node("Mul", {"obj", "largest"}, {"conf"})
      .Node("ArgMax", {"classes"}, {"label"}, {{"axis", int64_t{1}}})
      .Node("NonMaxSuppression", {"boxes", "conf", "every"}, {"kept"})
      .Node("Gather", {"kept", "column"}, {"index"}, {{"axis", int64_t{1}}})
      .Node("Gather", {"boxes", "index"}, {"chosen"}, {{"axis", int64_t{1}}})
      .Output("chosen");
  EXPECT_EQ(FormatOf(model), "nms_input box=yxyx iou_threshold=0");
  model.Node("Gather", {"label", "index"}, {"chosen_label"}, {{"axis", int64_t{2}}});
  EXPECT_THAT(FormatOf(model.Output("chosen_label")),
              HasSubstr("its scores are of one class, but node 'label_node' (ArgMax) chooses among "
                        "several"));
}

// Levels of a pyramid, which are suppressed apart, have no scores of their own.
TEST(DetectionHeadTest, GroupsThatScoresDoNotTellAreRefused) {
  TestModel model;
  model.Input("boxes", {6, 4})
      .Input("scores", {6})
      .Floats("levels", {6}, {0, 0, 0, 1, 1, 2})
      .Floats("one", {}, {1})
      .Ints("k", {1}, {4})
      .Ints("axis1", {1}, {1})
      .Node("TopK", {"scores", "k"}, {"top", "order"})
      .Node("Gather", {"boxes", "order"}, {"list"})
      .Node("Gather", {"levels", "order"}, {"level"})
      .Node("ReduceMax", {"list"}, {"farthest"}, {{"keepdims", int64_t{0}}})
      .Node("Add", {"farthest", "one"}, {"step"})
      .Node("Mul", {"level", "step"}, {"offsets"})
      .Node("Unsqueeze", {"offsets", "axis1"}, {"offset"})
      .Node("Add", {"list", "offset"}, {"moved"});
  Suppress(model, "moved", "top");
  EXPECT_THAT(FormatOf(model),
              HasSubstr("its scores are of one class, but its boxes are moved apart by several"));
}

TEST(DetectionHeadTest, ANetworkAfterTheSuppressionIsNotCutOff) {
  TestModel model = Network();
  model.Input("features", {1, 8, 4, 4})
      .Ints("2", {}, {2})
      .Ints("axis0", {1}, {0})
      .Floats("w", {4, 2}, std::vector<float>(8, 1))
      .Node("NonMaxSuppression", {"boxes", "scores", "most", "iou"}, {"kept"})
      .Node("Gather", {"kept", "2"}, {"index"}, {{"axis", int64_t{1}}})
      .Node("Squeeze", {"boxes", "axis0"}, {"rows"})
      .Node("Gather", {"rows", "index"}, {"proposals"});
  TestModel unused = model;
  model.Node("MatMul", {"proposals", "w"}, {"classes"}).Output("classes");
  EXPECT_EQ(
      model.Text(),
      "node 'kept_node' (NonMaxSuppression) can't be cut off: node 'classes_node' (MatMul) "
      "follows it, expected the network's end; node 'kept_node' (NonMaxSuppression): its boxes "
      "or scores aren't constant: the output's shape would depend on values (supported: "
      "constants; at the end of a detector, where it is cut off); name the tensors before it "
      "under 'outputs' in the metafile");
  unused.Node("MatMul", {"proposals", "w"}, {"classes"}).Output("proposals");
  EXPECT_EQ(FormatOf(unused), "nms_input box=yxyx iou_threshold=0.45 max_per_class=5");
}

// Boxes whose best class is among the best; all classes of those are suppressed.
TEST(DetectionHeadTest, AChoiceOfBoxesLeavesClassesApart) {
  for (const bool batched : {false, true}) {
    TestModel model;
    model.Input("boxes", {1, 6, 4})
        .Input("batch", {1, 3, 6})
        .Ints("0", {}, {0})
        .Ints("axis0", {1}, {0})
        .Ints("k", {1}, {4})
        .Ints("most", {1}, {5})
        .Node("Gather", {"batch", "0"}, {"scores"})
        .Node("ReduceMax", {"scores"}, {"largest"},
              {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}})
        .Node("TopK", {"largest", "k"}, {"top", "order"})
        .Node("Gather", {"boxes", "order"}, {"some_boxes"}, {{"axis", int64_t{1}}});
    if (batched) {
      model.Node("Gather", {"batch", "order"}, {"some"}, {{"axis", int64_t{2}}});
    } else {
      model.Node("Gather", {"scores", "order"}, {"of_one"}, {{"axis", int64_t{1}}})
          .Node("Unsqueeze", {"of_one", "axis0"}, {"some"});
    }
    model.Node("NonMaxSuppression", {"some_boxes", "some", "most"}, {"kept"}).Output("kept");
    const absl::StatusOr<Graph> graph = model.Import();
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->format, "nms_input box=yxyx iou_threshold=0 max_per_class=5");
    EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "batch"));
  }
}

TEST(DetectionHeadTest, AConstantGridIsPartOfTheBoxes) {
  TestModel model;
  model.Input("raw", {6, 4})
      .Input("scores", {6})
      .Ints("shape", {2}, {6, 4})
      .Floats("stride", {}, {8})
      .Floats("threshold", {}, {0.5f})
      .Node("ConstantOfShape", {"shape"}, {"grid"})
      .Node("Mul", {"grid", "stride"}, {"places"})
      .Node("Add", {"raw", "places"}, {"boxes"})
      .Node("Greater", {"scores", "threshold"}, {"mask"});
  Select(model, "scores", "mask", "kept_scores");
  Suppress(model, "boxes", "kept_scores");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "class_scores"));
}

// torchvision's SSD: for each class but the background the boxes above a threshold, and the best of
// those; the suppression in an If, for the case of no boxes.
TestModel Ssd(const std::vector<int64_t>& classes) {
  TestModel model;
  model.Input("image", {1, 3, 32, 48})
      .Input("scores", {6, 3})
      .Input("deltas", {6, 2, 2})
      .Floats("low", {}, {0})
      .Floats("right", {}, {48})
      .Floats("lower", {}, {32})
      .Floats("threshold", {}, {0.01f})
      .Ints("2", {1}, {2})
      .Ints("0", {}, {0})
      .Ints("1", {}, {1})
      .Ints("rows", {2}, {-1, 4})
      .Ints("k", {1}, {4});
  for (const std::string axis : {"x", "y"}) {
    model.Node("Gather", {"deltas", axis == "x" ? "0" : "1"}, {axis}, {{"axis", int64_t{2}}})
        .Node("Max", {axis, "low"}, {axis + ".positive"})
        .Node("Min", {axis + ".positive", axis == "x" ? "right" : "lower"}, {axis + ".clipped"})
        .Node("Unsqueeze", {axis + ".clipped", "2"}, {axis + ".column"});
  }
  model.Node("Concat", {"x.column", "y.column"}, {"corners"}, {{"axis", int64_t{2}}})
      .Node("Reshape", {"corners", "rows"}, {"boxes"});
  TestModel::Strings boxes, scores, labels;
  for (const int64_t c : classes) {
    const std::string name = "class" + std::to_string(c);
    model.Ints(name, {}, {c})
        .Node("Gather", {"scores", name}, {name + ".score"}, {{"axis", int64_t{1}}})
        .Node("Greater", {name + ".score", "threshold"}, {name + ".mask"});
    Select(model, name + ".score", name + ".mask", name + ".scores");
    Select(model, "boxes", name + ".mask", name + ".boxes");
    model.Node("TopK", {name + ".scores", "k"}, {name + ".top", name + ".order"})
        .Node("Gather", {name + ".boxes", name + ".order"}, {name + ".best"})
        .Node("Shape", {name + ".top"}, {name + ".count"})
        .Node("ConstantOfShape", {name + ".count"}, {name + ".label"});
    boxes.push_back(name + ".best");
    scores.push_back(name + ".top");
    labels.push_back(name + ".label");
  }
  model.Node("Concat", boxes, {"list"}, {{"axis", int64_t{0}}})
      .Node("Concat", scores, {"list_scores"}, {{"axis", int64_t{0}}})
      .Node("Concat", labels, {"list_labels"}, {{"axis", int64_t{0}}})
      .Node("Shape", {"list"}, {"list.shape"})
      .Node("ReduceProd", {"list.shape"}, {"elements"}, {{"keepdims", int64_t{0}}})
      .Node("Equal", {"elements", "0"}, {"is_empty"})
      .Node("If", {"is_empty"}, {"chosen"});
  TestModel empty, body;
  empty.Ints("none", {0}, {}).Output("none");
  body.Node("ReduceMax", {"list"}, {"farthest"}, {{"keepdims", int64_t{0}}})
      .Floats("one", {}, {1})
      .Ints("axis1", {1}, {1})
      .Node("Cast", {"list_labels"}, {"labels"}, {{"to", kFloat}})
      .Node("Add", {"farthest", "one"}, {"step"})
      .Node("Mul", {"labels", "step"}, {"offsets"})
      .Node("Unsqueeze", {"offsets", "axis1"}, {"offset"})
      .Node("Add", {"list", "offset"}, {"moved"});
  Suppress(body, "moved", "list_scores");
  onnx::NodeProto& branches = *model.graph().mutable_node(model.graph().node_size() - 1);
  for (const auto& [name, branch] :
       {std::make_pair("then_branch", &empty), std::make_pair("else_branch", &body)}) {
    onnx::AttributeProto& attribute = *branches.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = branch->graph();
  }
  model.Node("Gather", {"list", "chosen"}, {"result"}).Output("result");
  return model;
}

TEST(DetectionHeadTest, ListsOfEachClassAreOneListOfBoxes) {
  const absl::StatusOr<Graph> graph = Ssd({1, 2}).Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("boxes", "scores"));
  EXPECT_EQ(graph->format,
            "nms_input box=xyxy background=0 score_threshold=0.01 iou_threshold=0.55 w_scale=48 "
            "h_scale=32");
  EXPECT_EQ(FormatOf(Ssd({0, 1, 2})),
            "nms_input box=xyxy score_threshold=0.01 iou_threshold=0.55 w_scale=48 h_scale=32");
}

TEST(DetectionHeadTest, AllClassesOfTheScoresAreRead) {
  EXPECT_EQ(FormatOf(Ssd({1})),
            "node 'kept_node' (NonMaxSuppression) can't be cut off: it reads 2 classes of scores "
            "6x3, expected all; name the tensors before it under 'outputs' in the metafile");
  EXPECT_THAT(FormatOf(Ssd({2, 1})),
              HasSubstr("its scores aren't the classes of one tensor in their order"));
  EXPECT_THAT(FormatOf(Ssd({2})), HasSubstr("its first class is number 2"));
}

// torchvision's RetinaNet: of each level of a pyramid the best pairs of a box and a class, which
// are decoded, moved by their class and suppressed together.
TestModel RetinaNet() {
  TestModel model;
  model.Floats("threshold", {}, {0.05f})
      .Ints("k", {1}, {5})
      .Ints("flat", {1}, {-1})
      .Ints("classes", {}, {3})
      .Ints("axis1", {1}, {1})
      .Floats("one", {}, {1});
  TestModel::Strings boxes, scores, labels;
  int64_t rows = 2;
  for (const std::string level : {"p3", "p4"}) {
    std::vector<float> anchors;
    for (int64_t i = 0; i < 4 * rows; ++i) anchors.push_back(static_cast<float>(10 * i));
    model.Input(level + ".logits", {rows, 3})
        .Input(level + ".deltas", {rows, 4})
        .Floats(level + ".anchors", {rows, 4}, anchors)
        .Node("Sigmoid", {level + ".logits"}, {level + ".table"})
        .Node("Reshape", {level + ".table", "flat"}, {level + ".pairs"})
        .Node("Greater", {level + ".pairs", "threshold"}, {level + ".mask"});
    Select(model, level + ".pairs", level + ".mask", level + ".scores");
    model.Node("Squeeze", {level + ".scores.rows", "axis1"}, {level + ".places"})
        .Node("TopK", {level + ".scores", "k"}, {level + ".top", level + ".order"})
        .Node("Gather", {level + ".places", level + ".order"}, {level + ".pair"})
        .Node("Div", {level + ".pair", "classes"}, {level + ".row"})
        .Node("Mod", {level + ".pair", "classes"}, {level + ".label"})
        .Node("Gather", {level + ".deltas", level + ".row"}, {level + ".delta"})
        .Node("Gather", {level + ".anchors", level + ".row"}, {level + ".anchor"})
        .Node("Add", {level + ".delta", level + ".anchor"}, {level + ".box"});
    boxes.push_back(level + ".box");
    scores.push_back(level + ".top");
    labels.push_back(level + ".label");
    ++rows;
  }
  model.Node("Concat", boxes, {"list"}, {{"axis", int64_t{0}}})
      .Node("Concat", scores, {"list_scores"}, {{"axis", int64_t{0}}})
      .Node("Concat", labels, {"list_labels"}, {{"axis", int64_t{0}}})
      .Node("ReduceMax", {"list"}, {"farthest"}, {{"keepdims", int64_t{0}}})
      .Node("Cast", {"list_labels"}, {"labels"}, {{"to", kFloat}})
      .Node("Add", {"farthest", "one"}, {"step"})
      .Node("Mul", {"labels", "step"}, {"offsets"})
      .Node("Unsqueeze", {"offsets", "axis1"}, {"offset"})
      .Node("Add", {"list", "offset"}, {"moved"});
  Suppress(model, "moved", "list_scores");
  return model;
}

TEST(DetectionHeadTest, LevelsOfAPyramidAreDecodedWithoutAChoice) {
  const absl::StatusOr<Graph> graph = RetinaNet().Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(NamesOf(graph->outputs), ElementsAre("list", "scores"));
  EXPECT_EQ(graph->format, "nms_input box=xyxy score_threshold=0.05 iou_threshold=0.55");
  EXPECT_EQ(graph->outputs[0]->type.shape, Shape({5, 4}));
  EXPECT_EQ(graph->outputs[1]->type.shape, Shape({5, 3}));
  std::vector<std::vector<float>> inputs;
  for (const Tensor* input : graph->inputs) {
    const auto count = static_cast<size_t>(input->type.shape.elements());
    inputs.emplace_back(count, input->name.find("deltas") == std::string::npos ? 0.0f : 0.5f);
  }
  const auto outputs = EvaluateGraph(*graph, inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (size_t i = 0; i < 20; ++i) {
    const size_t place = i < 8 ? i : i - 8;
    EXPECT_THAT((*outputs)[0][i], FloatEq(0.5f + 10.0f * static_cast<float>(place)));
  }
  EXPECT_THAT((*outputs)[1], testing::Each(FloatEq(0.5f)));
}

// One class: boxes and scores above a threshold.
TEST(DetectionHeadTest, OneClassNeedsNoOffset) {
  TestModel model;
  model.Input("boxes", {6, 4})
      .Input("scores", {6})
      .Floats("threshold", {}, {0.5f})
      .Node("Greater", {"scores", "threshold"}, {"mask"});
  Select(model, "boxes", "mask", "kept_boxes");
  Select(model, "scores", "mask", "kept_scores");
  Suppress(model, "kept_boxes", "kept_scores");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->outputs[0]->type.shape, Shape({6, 4}));
  EXPECT_EQ(graph->outputs[1]->type.shape, Shape({1, 6}));
  EXPECT_EQ(graph->format, "nms_input box=yxyx nms=any score_threshold=0.5 iou_threshold=0.55");
}

TEST(DetectionHeadTest, CoordinatesThatAreNoPartsArePixels) {
  const auto format = [](float stride) {
    TestModel model = Network();
    model.Floats("stride", {6, 1}, {8, 8, 16, 16, stride, stride})
        .Floats("cell", {6, 4}, std::vector<float>(24, 3))
        .Node("ReduceMean", {"image"}, {"mean"}, {{"keepdims", int64_t{0}}})
        .Node("Add", {"boxes", "mean"}, {"logits"})
        .Node("Sigmoid", {"logits"}, {"place"})
        .Node("Add", {"place", "cell"}, {"sum"})
        .Node("Mul", {"sum", "stride"}, {"pixels"})
        .Floats("size", {4}, {48, 32, 48, 32})
        .Node("Div", {"pixels", "size"}, {"parts"});
    TestModel parts = model;
    model.Node("NonMaxSuppression", {"pixels", "scores", "every"}, {"kept"}).Output("kept");
    parts.Node("NonMaxSuppression", {"parts", "scores", "every"}, {"kept"}).Output("kept");
    return FormatOf(model) + ", " + FormatOf(parts);
  };
  EXPECT_EQ(format(32),
            "nms_input box=yxyx iou_threshold=0 w_scale=48 h_scale=32, nms_input box=yxyx "
            "iou_threshold=0");
}

// The limits are constants that no op of the graph reads.
TEST(DetectionHeadTest, AClipTellsTheUnitByItsOperands) {
  const auto format = [](float most, float least) {
    TestModel model = Network();
    model.Floats("zero", {}, {0})
        .Floats("right", {}, {640})
        .Floats("max", {}, {most})
        .Floats("more", {1}, {least})
        .Node("Clip", {"boxes", "zero", "right"}, {"inside"})
        .Node("Clip", {"inside", "zero", "max"}, {"positive"})
        .Node("Clip", {"positive", "zero"}, {"again"})
        .Node("Min", {"again", "more"}, {"limited"})
        .Node("NonMaxSuppression", {"limited", "scores", "every"}, {"kept"});
    return FormatOf(model.Output("kept"));
  };
  constexpr float kUnlimited = std::numeric_limits<float>::max();
  constexpr char kPixels[] = "nms_input box=yxyx iou_threshold=0 w_scale=640 h_scale=640";
  EXPECT_EQ(format(kUnlimited, std::numeric_limits<float>::infinity()), kPixels);
  EXPECT_EQ(format(kUnlimited, 65504), kPixels);
  EXPECT_EQ(format(320, kUnlimited), "nms_input box=yxyx iou_threshold=0 w_scale=320 h_scale=320");
}

// A decoding after the choice of boxes that needs as many as it chooses.
TEST(DetectionHeadTest, ErrorsOfWhatTheCutChangesTellTheCut) {
  TestModel model;
  model.Input("boxes", {6, 4})
      .Input("scores", {6})
      .Ints("k", {1}, {2})
      .Ints("rows", {2}, {2, 4})
      .Node("TopK", {"scores", "k"}, {"top", "order"})
      .Node("Gather", {"boxes", "order"}, {"best"})
      .Node("Reshape", {"best", "rows"}, {"decoded"});
  Suppress(model, "decoded", "top");
  const std::string error = FormatOf(model);
  EXPECT_THAT(error, HasSubstr("node 'decoded_node' (Reshape): "));
  EXPECT_THAT(error, HasSubstr("; node 'kept_node' (NonMaxSuppression) was cut off; name the "
                               "tensors before it under 'outputs' in the metafile"));
  TestModel plain = Network();
  plain.Ints("rows", {2}, {2, 4})
      .Node("Reshape", {"boxes", "rows"}, {"decoded"})
      .Node("NonMaxSuppression", {"decoded", "scores", "every"}, {"kept"})
      .Output("kept");
  EXPECT_THAT(FormatOf(plain), Not(HasSubstr("cut off")));
}

TEST(DetectionHeadTest, WhatItDoesNotUnderstandIsSaidWithAllOperators) {
  TestModel two = Network();
  two.Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"a"})
      .Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"b"})
      .Node("Mystery", {"b"}, {"c"})
      .Output("a")
      .Output("c");
  EXPECT_EQ(two.Text(),
            "node 'a_node' (NonMaxSuppression) can't be cut off: the model has 2 of them, expected "
            "one; 1 operator is not supported: Mystery (1 node: 'c_node'); name the tensors before "
            "it under 'outputs' in the metafile");
  TestModel sorted = Network();
  sorted.Ints("k", {1}, {3})
      .Node("TopK", {"boxes", "k"}, {"top", "order"})
      .Node("NonMaxSuppression", {"top", "scores", "every"}, {"kept"})
      .Output("kept");
  EXPECT_THAT(sorted.Text(), HasSubstr("its boxes are computed by node 'top_node' (TopK)"));
  TestModel other;
  other.Input("boxes", {1, 6, 5}).Input("scores", {1, 2, 6}).Ints("every", {1}, {INT64_MAX});
  other.Node("NonMaxSuppression", {"boxes", "scores", "every"}, {"kept"}).Output("kept");
  EXPECT_THAT(other.Text(), HasSubstr("can't be cut off: shapes of the boxes and their scores are "
                                      "1x6x5 and 1x2x6"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
