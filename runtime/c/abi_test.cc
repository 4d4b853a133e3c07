// The binary form of synap/synap.h. A change of these numbers breaks applications that are compiled
// already: new members go to the end, and new enumerators get new numbers.
#include <gtest/gtest.h>

#include <cstddef>

#include "synap/synap.h"

namespace synap_internal {
namespace {

TEST(AbiTest, KeepsTheStructuresThatDoNotGrow) {
  EXPECT_EQ(sizeof(synap_rect), 16);
  EXPECT_EQ(offsetof(synap_rect, y), 4);
  EXPECT_EQ(offsetof(synap_rect, width), 8);
  EXPECT_EQ(offsetof(synap_rect, height), 12);
  EXPECT_EQ(sizeof(synap_landmark), 16);
  EXPECT_EQ(offsetof(synap_landmark, visibility), 12);
  EXPECT_EQ(sizeof(synap_class), 8);
  EXPECT_EQ(offsetof(synap_class, confidence), 4);
}

TEST(AbiTest, KeepsTheMembersOfStructuresThatGrow) {
  EXPECT_EQ(offsetof(synap_detector_options, struct_size), 0);
  EXPECT_EQ(offsetof(synap_detector_options, score_threshold), 8);
  EXPECT_EQ(offsetof(synap_detector_options, max_detections), 12);
  EXPECT_EQ(offsetof(synap_detector_options, nms), 16);
  EXPECT_EQ(offsetof(synap_detector_options, iou_threshold), 20);
  EXPECT_EQ(offsetof(synap_detector_options, iou_with_min), 24);
  EXPECT_GE(sizeof(synap_detector_options), 32);
  EXPECT_EQ(offsetof(synap_detection, struct_size), 0);
  EXPECT_EQ(offsetof(synap_detection, class_index), 8);
  EXPECT_EQ(offsetof(synap_detection, confidence), 12);
  EXPECT_EQ(offsetof(synap_detection, bounding_box), 16);
  EXPECT_EQ(offsetof(synap_detection, landmarks), 32);
  EXPECT_EQ(offsetof(synap_detection, landmark_count), 40);
  EXPECT_EQ(offsetof(synap_detection, mask), 48);
  EXPECT_EQ(offsetof(synap_detection, mask_width), 56);
  EXPECT_EQ(offsetof(synap_detection, mask_height), 60);
  EXPECT_GE(sizeof(synap_detection), 64);
}

// A caller of the first version: the structures end there.
TEST(AbiTest, TakesTheStructuresOfTheFirstVersion) {
  synap_detector_options options = SYNAP_DETECTOR_OPTIONS_INIT;
  options.struct_size = 32;
  synap_detector* const detector = synap_detector_create(&options);
  EXPECT_NE(detector, nullptr);
  synap_detector_destroy(detector);
  options.struct_size = 31;
  EXPECT_EQ(synap_detector_create(&options), nullptr);
}

// The values of the enumerators are those of the C++ interface: static_assert()s hold them
// together.
TEST(AbiTest, KeepsTheLastEnumerators) {
  EXPECT_EQ(SYNAP_LOG_NONE, 4);
  EXPECT_EQ(SYNAP_DATA_TYPE_INT64, 10);
  EXPECT_EQ(SYNAP_LAYOUT_NHWC, 2);
  EXPECT_EQ(SYNAP_INPUT_NV21, 5);
}

}  // namespace
}  // namespace synap_internal
