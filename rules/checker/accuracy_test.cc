#include "rules/checker/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/tensor_type.h"
#include "runtime/api/network_copies.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image_writer.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using testing::HasSubstr;
using testing::Not;

Accuracy MakeAccuracy(double recall, double error) {
  return {.figures = {{.name = "float recall", .value = recall, .tolerance = 0.01},
                      {.name = "float landmark_error",
                       .value = error,
                       .higher_is_better = false,
                       .tolerance = 0.002}},
          .pictures = {{"b.jpg", 1, 3, 12.5}, {"a.jpg", 0, 0, 30}}};
}

Comparison Compare(const Json& golden, const Accuracy& found) {
  const absl::StatusOr<Comparison> comparison = CompareAccuracy(golden, found);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.value_or(Comparison{});
}

TEST(AccuracyTest, WhatStaysWithinToleranceIsFine) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.94, 0.032)).worse);
  EXPECT_FALSE(Compare(golden, MakeAccuracy(0.99, 0.01)).worse);
}

TEST(AccuracyTest, WhatIsWorseIsNamedWithItsFigures) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  const Comparison lower = Compare(golden, MakeAccuracy(0.9399, 0.03));
  EXPECT_TRUE(lower.worse);
  EXPECT_THAT(lower.table,
              HasSubstr("float recall            0.9500    0.9399   -0.0101    0.0100  WORSE\n"));
  const Comparison larger = Compare(golden, MakeAccuracy(0.95, 0.0321));
  EXPECT_TRUE(larger.worse);
  EXPECT_THAT(larger.table,
              HasSubstr("float landmark_error    0.0300    0.0321   +0.0021    0.0020  WORSE\n"));
}

TEST(AccuracyTest, WhatIsNoNumberIsWorse) {
  const Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  EXPECT_TRUE(Compare(golden, MakeAccuracy(std::nan(""), 0.03)).worse);
}

TEST(AccuracyTest, AFigureOnOneSideFails) {
  Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  golden["figures"]["float top1"] = {{"value", 0.5}, {"tolerance", 0.1}};
  EXPECT_THAT(Compare(golden, MakeAccuracy(0.95, 0.03)).table, HasSubstr("ONLY IN THE GOLDEN"));
  EXPECT_TRUE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
  golden["figures"].erase("float top1");
  golden["figures"].erase("float recall");
  EXPECT_THAT(Compare(golden, MakeAccuracy(0.95, 0.03)).table, HasSubstr("NOT IN THE GOLDEN"));
  EXPECT_TRUE(Compare(golden, MakeAccuracy(0.95, 0.03)).worse);
}

TEST(AccuracyTest, DamagedGoldensAreRefused) {
  for (const char* text : {"[]", "{}", R"({"figures": 3})", R"({"figures": {"float recall": 1}})",
                           R"({"figures": {"float recall": {"value": 1, "tolerance": "x"}}})"}) {
    EXPECT_FALSE(CompareAccuracy(Json::parse(text), MakeAccuracy(0.95, 0.03)).ok()) << text;
  }
}

TEST(AccuracyTest, AnUpdateKeepsTolerances) {
  Json golden = AccuracyGolden(MakeAccuracy(0.95, 0.03), {});
  golden["figures"]["float recall"]["tolerance"] = 0.25;
  const Json updated = AccuracyGolden(MakeAccuracy(0.9, 0.04), golden);
  EXPECT_EQ(updated["figures"]["float recall"].dump(), R"({"value":0.9,"tolerance":0.25})");
  EXPECT_EQ(updated["figures"]["float landmark_error"].dump(),
            R"({"value":0.04,"tolerance":0.002})");
}

TEST(AccuracyTest, TheWorstPicturesComeFirst) {
  EXPECT_THAT(WorstPictures(MakeAccuracy(0, 0), 1), HasSubstr("  b.jpg: 1, 3; 12.50 dB\n"));
}

// Measuring: networks that give their input, an image of 2 x 1 pixels, in 100 steps or as floats.
std::string WriteNetwork(const std::string& file, const TensorType& type, const Shape& shape,
                         const std::string& format) {
  TensorMetadata x = MakeMetadata("x", type);
  x.layout = TensorLayout::kNhwc;
  x.scale = 255;
  TensorMetadata y = x;
  y.name = "y";
  y.shape = shape;
  y.layout = TensorLayout::kNone;
  y.data_format = format;
  return WriteTestFile(file, MakeReshapeModel(x, y));
}

constexpr int kPictures = 7;

std::vector<std::string> WritePictures() {
  std::vector<std::string> paths;
  for (int i = 0; i < kPictures; ++i) {
    Image image = MakeImage(2, 1, 3);
    for (size_t p = 0; p < image.pixels.size(); ++p) {
      image.pixels[p] = static_cast<uint8_t>(83 * static_cast<size_t>(i) + 41 * p + 5);
    }
    paths.push_back(WriteTestFile(absl::StrCat("picture", i, ".png"), *EncodePng(image)));
  }
  return paths;
}

class MeasureAccuracyTest : public testing::Test {
 protected:
  // Networks whose first output has this shape and format.
  void SetNetworks(const Shape& shape, const std::string& format) {
    const Shape picture = {1, 1, 2, 3};
    model_ = WriteNetwork("model.synap", {DataType::kUint8, picture, QuantParams::Affine(0.01f, 0)},
                          shape, format);
    reference_ = WriteNetwork("float.synap", {DataType::kFloat32, picture, {}}, shape, format);
  }

  absl::StatusOr<Accuracy> Measure(const Json& truth, const std::vector<std::string>& pictures,
                                   int threads) {
    synaptics::synap::set_thread_count(threads);
    auto copies = NetworkCopies<AccuracyNetworks>::Create(
        pictures.size(), [] { return uint64_t{1}; },
        [this](AccuracyNetworks& networks) {
          const bool loaded = networks.model.load_model(model_) &&
                              (reference_.empty() || networks.reference.load_model(reference_));
          return loaded ? absl::OkStatus() : absl::InternalError("not loaded");
        });
    EXPECT_TRUE(copies.ok()) << copies.status();
    EXPECT_EQ(copies->count(), threads <= static_cast<int>(pictures.size()) ? threads : 1);
    return MeasureAccuracy(*copies, truth, pictures);
  }

  // Expects what one thread finds of any number of them, and returns it.
  Accuracy ExpectSame(const Json& truth) {
    const std::vector<std::string> pictures = WritePictures();
    const absl::StatusOr<Accuracy> one = Measure(truth, pictures, 1);
    EXPECT_TRUE(one.ok()) << one.status();
    if (!one.ok()) return {};
    for (const int threads : {2, 3, kPictures, kPictures + 1}) {
      const absl::StatusOr<Accuracy> found = Measure(truth, pictures, threads);
      EXPECT_TRUE(found.ok()) << found.status();
      if (!found.ok()) continue;
      EXPECT_EQ(found->figures.size(), one->figures.size());
      for (size_t i = 0; i < one->figures.size(); ++i) {
        EXPECT_EQ(found->figures[i].name, one->figures[i].name);
        EXPECT_EQ(found->figures[i].value, one->figures[i].value) << one->figures[i].name;
      }
      EXPECT_EQ(WorstPictures(*found, kPictures), WorstPictures(*one, kPictures));
    }
    return *one;
  }

  void TearDown() override { synaptics::synap::set_thread_count(0); }

  std::string model_, reference_;
};

double FigureNamed(const Accuracy& accuracy, const std::string& name) {
  for (const Figure& figure : accuracy.figures) {
    if (figure.name == name) return figure.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

// Of the pictures' values, 41 apart, the last one before 255 is the largest.
Json Classes() {
  Json classes = Json::object();
  for (int i = 0; i < kPictures; ++i) {
    int best = 0;
    for (int p = 1; p < 6; ++p) {
      if ((83 * i + 41 * p + 5) % 256 > (83 * i + 41 * best + 5) % 256) best = p;
    }
    classes[absl::StrCat("picture", i, ".png")] = i == 2 ? (best + 1) % 6 : best;  // one is wrong
  }
  return {{"pictures", std::move(classes)}};
}

TEST_F(MeasureAccuracyTest, ClassifiersHaveTheSameFiguresOnAnyNumberOfThreads) {
  SetNetworks({1, 6}, "confidence_array");
  const Accuracy accuracy = ExpectSame(Classes());
  EXPECT_NEAR(FigureNamed(accuracy, "float top1"), 6.0 / kPictures, 1e-4);
  EXPECT_NEAR(FigureNamed(accuracy, "quantized top1"), 6.0 / kPictures, 1e-4);
  EXPECT_GT(FigureNamed(accuracy, "y sqnr_db"), 30);
  EXPECT_LT(FigureNamed(accuracy, "y sqnr_db"), 60);
  reference_.clear();
  EXPECT_EQ(ExpectSame(Classes()).figures.size(), 2u);
}

TEST_F(MeasureAccuracyTest, DetectorsHaveTheSameFiguresOnAnyNumberOfThreads) {
  SetNetworks({1, 1, 6}, "yolov5");
  Json objects = Json::object();
  for (int i = 0; i < kPictures; ++i) {
    objects[absl::StrCat("picture", i, ".png")] = {{{"box", {0, 0, 2, 1}}}};
  }
  const Accuracy accuracy = ExpectSame({{"pictures", std::move(objects)}});
  EXPECT_EQ(accuracy.pictures.size(), static_cast<size_t>(kPictures));
  EXPECT_GE(FigureNamed(accuracy, "float recall"), 0);
}

TEST_F(MeasureAccuracyTest, TheFirstPictureThatFailsIsNamed) {
  SetNetworks({1, 6}, "confidence_array");
  const std::vector<std::string> pictures = WritePictures();
  std::vector<std::string> damaged = pictures;
  damaged[3] = WriteTestFile("picture3.png", "no picture");
  WriteTestFile("picture6.png", "no picture");
  for (const int threads : {1, 2, kPictures}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Measure(Classes(), damaged, threads).status().message(),
              "picture3.png: not taken as the network's input");
    // Nor is the other one, but nothing is said of it.
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr("picture3.png"));
    EXPECT_THAT(log, Not(HasSubstr("picture6.png")));
  }
  WritePictures();
  damaged[5] = damaged[4];
  Json unknown = Classes();
  unknown["pictures"].erase("picture4.png");
  for (const int threads : {1, 2, kPictures}) {
    EXPECT_EQ(Measure(Classes(), damaged, threads).status().message(),
              "picture4.png: two pictures have this name");
    EXPECT_EQ(Measure(unknown, damaged, threads).status().message(),
              "picture4.png: the truth doesn't tell what is in it");
  }
}

}  // namespace
}  // namespace synap_internal
