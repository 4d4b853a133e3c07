// Wrong arguments of the C interface: each is answered, with one sentence that says what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/c/test_files.h"
#include "runtime/testing/test_models.h"
#include "synap/synap.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CErrorsTest : public testing::Test {
 protected:
  CErrorsTest() : network_(synap_network_create()) {
    synap_set_log_level(SYNAP_LOG_NONE);
    EXPECT_TRUE(synap_network_load_file(network_, WriteDetectionModel(), nullptr));
    synap_clear_last_error();
  }
  ~CErrorsTest() override { synap_network_destroy(network_); }

  // The error since the last call.
  static std::string Error() {
    std::string error = synap_last_error();
    synap_clear_last_error();
    return error;
  }

  synap_network* network_;
};

TEST_F(CErrorsTest, DestroysNull) {
  synap_network_destroy(nullptr);
  synap_input_data_destroy(nullptr);
  synap_labels_destroy(nullptr);
  synap_detector_destroy(nullptr);
  synap_detections_destroy(nullptr);
  synap_npu_destroy(nullptr);
  EXPECT_EQ(Error(), "");
}

TEST_F(CErrorsTest, NamesNullNetworks) {
  EXPECT_FALSE(synap_network_load_file(nullptr, "x.synap", nullptr));
  EXPECT_EQ(Error(), "synap_network_load_file: 'network' is null, expected a pointer");
  EXPECT_FALSE(synap_network_load_memory(nullptr, "x", 1, nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_network_load_memory: 'network' is null"));
  EXPECT_EQ(synap_network_input_count(nullptr), 0);
  EXPECT_EQ(synap_network_output_count(nullptr), 0);
  EXPECT_EQ(synap_network_input(nullptr, 0), nullptr);
  EXPECT_EQ(synap_network_output(nullptr, 0), nullptr);
  EXPECT_FALSE(synap_network_predict(nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_network_predict: 'network' is null"));
  synap_network_set_profiling(nullptr, true);
  EXPECT_THAT(Error(), StartsWith("synap_network_set_profiling: 'network' is null"));
  EXPECT_STREQ(synap_network_profile(nullptr), "");
}

TEST_F(CErrorsTest, NamesNullTensors) {
  const uint8_t byte = 0;
  EXPECT_STREQ(synap_tensor_name(nullptr), "");
  EXPECT_STREQ(synap_tensor_format(nullptr), "");
  EXPECT_EQ(synap_tensor_data_type(nullptr), SYNAP_DATA_TYPE_INVALID);
  EXPECT_EQ(synap_tensor_layout(nullptr), SYNAP_LAYOUT_NONE);
  EXPECT_EQ(synap_tensor_rank(nullptr), 0);
  EXPECT_EQ(synap_tensor_shape(nullptr), nullptr);
  EXPECT_EQ(synap_tensor_size(nullptr), 0);
  EXPECT_EQ(synap_tensor_item_count(nullptr), 0);
  EXPECT_FALSE(synap_tensor_quantizer(nullptr, nullptr, nullptr));
  EXPECT_EQ(synap_tensor_data(nullptr), nullptr);
  EXPECT_EQ(synap_tensor_as_float(nullptr), nullptr);
  EXPECT_EQ(Error(), "synap_tensor_as_float: 'tensor' is null, expected a pointer");
  EXPECT_FALSE(synap_tensor_assign_bytes(nullptr, &byte, 1));
  EXPECT_FALSE(synap_tensor_assign_uint8(nullptr, &byte, 1));
  EXPECT_FALSE(synap_tensor_assign_int16(nullptr, nullptr, 1));
  EXPECT_FALSE(synap_tensor_assign_int32(nullptr, nullptr, 1));
  EXPECT_FALSE(synap_tensor_assign_float(nullptr, nullptr, 1));
  EXPECT_FALSE(synap_tensor_assign_scalar(nullptr, 1));
  EXPECT_FALSE(synap_tensor_assign_tensor(nullptr, nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_tensor_assign_tensor: 'tensor' is null"));
}

TEST_F(CErrorsTest, NamesNullsOfVision) {
  synap_class one;
  size_t count = 0;
  EXPECT_EQ(synap_input_data_create_from_file(nullptr), nullptr);
  EXPECT_EQ(synap_input_data_create(nullptr, 1, SYNAP_INPUT_RAW), nullptr);
  EXPECT_EQ(synap_input_data_create_pixels(nullptr, 1, SYNAP_INPUT_NV12, 1, 1, 3, SYNAP_LAYOUT_NONE,
                                           nullptr),
            nullptr);
  EXPECT_EQ(synap_input_data_type(nullptr), SYNAP_INPUT_INVALID);
  EXPECT_EQ(synap_input_data_width(nullptr), 0);
  EXPECT_EQ(synap_input_data_height(nullptr), 0);
  EXPECT_FALSE(synap_network_preprocess(network_, 0, nullptr, nullptr, nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_network_preprocess: 'data' is null"));
  EXPECT_FALSE(synap_network_classify(nullptr, &one, 1, &count));
  EXPECT_FALSE(synap_network_classify(network_, nullptr, 1, &count));
  EXPECT_FALSE(synap_network_classify(network_, &one, 1, nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_network_classify: 'count' is null"));
  EXPECT_EQ(synap_labels_create(nullptr), nullptr);
  EXPECT_STREQ(synap_labels_get(nullptr, 0), "");
  EXPECT_EQ(synap_labels_count(nullptr), 0);
  EXPECT_EQ(synap_detector_process(nullptr, network_, nullptr), nullptr);
  EXPECT_EQ(synap_detections_count(nullptr), 0);
  EXPECT_FALSE(synap_detections_get(nullptr, 0, nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_detections_get: 'detections' is null"));
}

TEST_F(CErrorsTest, NamesNullImages) {
  synap_output_image_destroy(nullptr);
  EXPECT_EQ(synap_output_image_create(nullptr), nullptr);
  EXPECT_EQ(Error(), "synap_output_image_create: 'network' is null, expected a pointer");
  EXPECT_EQ(synap_output_image_data(nullptr), nullptr);
  EXPECT_EQ(synap_output_image_size(nullptr), 0);
  EXPECT_STREQ(synap_output_image_format(nullptr), "");
  EXPECT_EQ(synap_output_image_width(nullptr), 0);
  EXPECT_EQ(synap_output_image_height(nullptr), 0);
  EXPECT_EQ(Error(), "synap_output_image_height: 'image' is null, expected a pointer");
  synap_network* empty = synap_network_create();
  EXPECT_EQ(synap_output_image_create(empty), nullptr);
  EXPECT_EQ(Error(), "an image network has 1 or 2 outputs, not 0");
  synap_network_destroy(empty);
}

TEST_F(CErrorsTest, NamesNullNpus) {
  EXPECT_FALSE(synap_npu_available(nullptr));
  EXPECT_FALSE(synap_npu_lock(nullptr));
  EXPECT_FALSE(synap_npu_unlock(nullptr));
  EXPECT_FALSE(synap_npu_is_locked(nullptr));
  EXPECT_THAT(Error(), StartsWith("synap_npu_is_locked: 'npu' is null"));
}

TEST_F(CErrorsTest, RefusesIndicesThatAreTooLarge) {
  EXPECT_EQ(synap_network_input(network_, 1), nullptr);
  EXPECT_EQ(Error(), "synap_network_input: no input at index 1, expected at most 0");
  EXPECT_EQ(synap_network_output(network_, static_cast<size_t>(-1)), nullptr);
  EXPECT_THAT(Error(), HasSubstr("no output at index 18446744073709551615, expected at most 0"));
  synap_network* empty = synap_network_create();
  EXPECT_EQ(synap_network_input(empty, 0), nullptr);
  EXPECT_EQ(Error(), "synap_network_input: no input at index 0: there are none");
  synap_network_destroy(empty);
}

TEST_F(CErrorsTest, RefusesWrongSizes) {
  synap_tensor* x = synap_network_input(network_, 0);
  const uint8_t bytes[7] = {};
  EXPECT_FALSE(synap_tensor_assign_bytes(x, bytes, 7));
  EXPECT_EQ(Error(), "tensor 'x' gets 7 bytes, expected 6");
  EXPECT_FALSE(synap_tensor_assign_uint8(x, bytes, 5));
  EXPECT_EQ(Error(), "tensor 'x' gets 5 items, expected 6");
  const int32_t integers[24] = {};
  EXPECT_FALSE(synap_tensor_assign_int32(x, integers, 24));
  EXPECT_EQ(Error(), "tensor 'x' gets 24 items, expected 6");
  EXPECT_FALSE(synap_tensor_assign_bytes(x, nullptr, 6));
  EXPECT_EQ(Error(), "synap_tensor_assign_bytes: 'data' is null, expected a pointer");
  EXPECT_EQ(synap_input_data_create_pixels(bytes, 7, SYNAP_INPUT_IMAGE_8BITS, 2, 1, 3,
                                           SYNAP_LAYOUT_NHWC, nullptr),
            nullptr);
  EXPECT_THAT(Error(), HasSubstr("the image has 7 bytes"));
}

// As many values as the tensor has bytes, which Tensor::assign() takes as raw bytes.
TEST_F(CErrorsTest, TakesNoIntegersAsBytes) {
  const TensorType type{DataType::kFloat32, {6}, {}};
  TensorMetadata y = MakeMetadata("y", type);
  y.shape = {1, 6};
  const std::string model = MakeReshapeModel(MakeMetadata("x", type), y);
  ASSERT_TRUE(synap_network_load_memory(network_, model.data(), model.size(), nullptr));
  const int32_t integers[24] = {};
  EXPECT_FALSE(synap_tensor_assign_int32(synap_network_input(network_, 0), integers, 24));
  EXPECT_EQ(Error(), "tensor 'x' gets 24 items, expected 6");
  EXPECT_TRUE(synap_tensor_assign_int32(synap_network_input(network_, 0), integers, 6));
}

TEST_F(CErrorsTest, RefusesYuvImagesOfAnotherSize) {
  const uint8_t bytes[12] = {};
  const auto make = [&](size_t size, int32_t width, int32_t height) {
    return synap_input_data_create_pixels(bytes, size, SYNAP_INPUT_NV21, width, height, 3,
                                          SYNAP_LAYOUT_NONE, nullptr);
  };
  EXPECT_EQ(make(5, 640, 480), nullptr);
  EXPECT_EQ(
      Error(),
      "the nv21 image of shape 1x480x640x3 has 5 bytes, expected width * height * 3 / 2 of an "
      "even width and height, at most 65535 a side and 67108864 pixels");
  EXPECT_EQ(make(12, -4, 2), nullptr);
  EXPECT_EQ(make(12, 8, 1), nullptr);
  EXPECT_EQ(make(0, 0, 0), nullptr);
  synap_input_data* image = make(12, 4, 2);
  EXPECT_EQ(synap_input_data_width(image), 4);
  synap_input_data_destroy(image);
}

TEST_F(CErrorsTest, SaysThatATensorHasNoData) {
  synap_tensor* y = synap_network_output(network_, 0);
  EXPECT_EQ(synap_tensor_as_float(y), nullptr);
  EXPECT_EQ(Error(), "tensor 'y' has no data; run the network before");
  EXPECT_FALSE(synap_tensor_assign_tensor(synap_network_input(network_, 0), y));
  EXPECT_EQ(Error(), "tensor 'y' has no data; run the network before");
  synap_class one;
  size_t count = 0;
  EXPECT_FALSE(synap_network_classify(network_, &one, 1, &count));
  EXPECT_EQ(Error(), "tensor 'y' has no data; run the network before");
}

TEST_F(CErrorsTest, RefusesADamagedListOfLabels) {
  const std::string folder = Dirname(WriteDetectionModel()) + "/damaged";
  ASSERT_TRUE(CreateDirectories(folder).ok());
  const std::string info = WriteTestFile("damaged/info.json", "{");
  EXPECT_EQ(synap_labels_create((folder + "/model.synap").c_str()), nullptr);
  EXPECT_THAT(Error(), StartsWith("no labels: " + info + ": "));
  WriteTestFile("damaged/info.json", R"({"labels": ["person", "car"]})");
  synap_labels* labels = synap_labels_create((folder + "/model.synap").c_str());
  ASSERT_NE(labels, nullptr);
  EXPECT_EQ(synap_labels_count(labels), 2);
  EXPECT_STREQ(synap_labels_get(labels, 1), "car");
  EXPECT_STREQ(synap_labels_get(labels, 2), "");
  EXPECT_STREQ(synap_labels_get(labels, -1), "");
  synap_labels_destroy(labels);
}

TEST_F(CErrorsTest, RefusesWrongInputTypes) {
  EXPECT_EQ(synap_input_data_create("x", 1, SYNAP_INPUT_NV12), nullptr);
  EXPECT_THAT(Error(), HasSubstr("call synap_input_data_create_pixels() for pixels"));
  EXPECT_EQ(
      synap_input_data_create_pixels("x", 1, SYNAP_INPUT_RAW, 1, 1, 1, SYNAP_LAYOUT_NHWC, nullptr),
      nullptr);
  EXPECT_THAT(Error(), HasSubstr("expected 8-bit pixels, nv12 or nv21"));
}

TEST_F(CErrorsTest, RefusesStructuresThatAreNotInitialized) {
  synap_detector_options options = {};
  EXPECT_EQ(synap_detector_create(&options), nullptr);
  EXPECT_EQ(Error(),
            "synap_detector_create: struct_size of 'options' is 0, expected sizeof of the "
            "structure; initialize it");
  const synap_rect rect = {0, 0, 2, 1};
  ASSERT_TRUE(synap_network_predict(network_));
  synap_detector* detector = synap_detector_create(nullptr);
  options = SYNAP_DETECTOR_OPTIONS_INIT;
  options.score_threshold = 0;
  synap_detector* all = synap_detector_create(&options);
  synap_detections* detections = synap_detector_process(all, network_, &rect);
  ASSERT_NE(detections, nullptr) << Error();
  synap_detection found = {};
  EXPECT_FALSE(synap_detections_get(detections, 0, &found));
  EXPECT_THAT(Error(), HasSubstr("struct_size of 'detection' is 0"));
  found = SYNAP_DETECTION_INIT;
  EXPECT_FALSE(synap_detections_get(detections, 99, &found));
  EXPECT_THAT(Error(), HasSubstr("no detection at index 99"));
  synap_detections_destroy(detections);
  synap_detector_destroy(all);
  synap_detector_destroy(detector);
}

// An application that was compiled with a later version, whose structure is longer.
TEST_F(CErrorsTest, DoesNotTouchMembersThatItDoesNotKnow) {
  struct {
    synap_detection known = SYNAP_DETECTION_INIT;
    uint64_t later = 42;
  } longer;
  longer.known.struct_size = sizeof(longer);
  synap_input_data* picture = synap_input_data_create_from_file(WriteDetectionPicture());
  synap_rect rect;
  ASSERT_TRUE(synap_network_preprocess(network_, 0, picture, nullptr, &rect));
  ASSERT_TRUE(synap_network_predict(network_));
  synap_detector* detector = synap_detector_create(nullptr);
  synap_detections* detections = synap_detector_process(detector, network_, &rect);
  ASSERT_TRUE(synap_detections_get(detections, 0, &longer.known)) << Error();
  EXPECT_EQ(longer.known.bounding_box.width, 2);
  EXPECT_EQ(longer.known.struct_size, sizeof(longer));
  EXPECT_EQ(longer.later, 42);
  synap_detections_destroy(detections);
  synap_detector_destroy(detector);
  synap_input_data_destroy(picture);
}

TEST_F(CErrorsTest, ReportsFilesThatAreNoModels) {
  EXPECT_FALSE(synap_network_load_file(network_, "none.synap", nullptr));
  EXPECT_THAT(Error(), HasSubstr("none.synap"));
  EXPECT_EQ(synap_network_input_count(network_), 0);
  EXPECT_FALSE(synap_network_predict(network_));
  EXPECT_EQ(Error(), "no model is loaded; call load_model() first");
  EXPECT_FALSE(synap_network_load_memory(network_, "no model", 8, nullptr));
  EXPECT_THAT(Error(), StartsWith("can't load the model: "));
}

// A callback may use what the function that logs doesn't.
TEST_F(CErrorsTest, CallbacksMayUseOtherHandles) {
  synap_network* other = synap_network_create();
  ASSERT_TRUE(synap_network_load_file(other, WriteDetectionModel(), nullptr));
  const auto run = [](synap_log_level, const char*, void* user) {
    synap_set_log_callback(nullptr, nullptr);
    synap_set_log_level(SYNAP_LOG_NONE);
    EXPECT_TRUE(synap_network_predict(static_cast<synap_network*>(user)));
    synap_npu* npu = synap_npu_create();
    EXPECT_FALSE(synap_npu_is_locked(npu));
    synap_npu_destroy(npu);
  };
  synap_set_log_callback(run, other);
  synap_set_log_level(SYNAP_LOG_VERBOSE);
  EXPECT_TRUE(synap_network_predict(network_));
  EXPECT_NE(synap_tensor_as_float(synap_network_output(other, 0)), nullptr);
  synap_network_destroy(other);
}

TEST_F(CErrorsTest, KeepsTheErrorOfEachThread) {
  EXPECT_FALSE(synap_network_predict(nullptr));
  std::thread([] { EXPECT_STREQ(synap_last_error(), ""); }).join();
  EXPECT_THAT(synap_last_error(), HasSubstr("'network' is null"));
}

}  // namespace
}  // namespace synap_internal
