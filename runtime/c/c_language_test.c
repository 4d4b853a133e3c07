// Uses every part of the C interface from C, and, compiled a second time, from C++.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L  // for setenv, which C99 doesn't have
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/c/test_files.h"
#include "synap/synap.h"

static int failures = 0;

#define EXPECT(condition)                                                              \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      printf("%s:%d: not true: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
             synap_last_error());                                                      \
      ++failures;                                                                      \
    }                                                                                  \
  } while (false)

static const uint8_t kPixels[6] = {128, 128, 255, 255, 255, 204};

static synap_network* LoadNetwork(void) {
  synap_network* network = synap_network_create();
  EXPECT(synap_network_load_file(network, WriteDetectionModel(), NULL));
  return network;
}

static void TestVersion(void) {
  int major = -1, minor = -1, subminor = -1;
  EXPECT(synap_abi_version() == SYNAP_ABI_VERSION);
  EXPECT(sscanf(synap_version_string(), "%d.%d.%d", &major, &minor, &subminor) == 3);
}

static void TestTensors(void) {
  synap_network* network = LoadNetwork();
  EXPECT(synap_network_input_count(network) == 1);
  EXPECT(synap_network_output_count(network) == 1);
  synap_tensor* x = synap_network_input(network, 0);
  EXPECT(strcmp(synap_tensor_name(x), "x") == 0);
  EXPECT(strcmp(synap_tensor_format(x), "rgb") == 0);
  EXPECT(synap_tensor_data_type(x) == SYNAP_DATA_TYPE_UINT8);
  EXPECT(synap_tensor_layout(x) == SYNAP_LAYOUT_NHWC);
  EXPECT(synap_tensor_rank(x) == 4);
  EXPECT(synap_tensor_shape(x)[2] == 2 && synap_tensor_shape(x)[3] == 3);
  EXPECT(synap_tensor_size(x) == 6);
  EXPECT(synap_tensor_item_count(x) == 6);
  float scale = 0;
  int32_t zero_point = -1;
  EXPECT(synap_tensor_quantizer(x, &scale, &zero_point));
  EXPECT(fabsf(scale - 1 / 255.0f) < 1e-7f && zero_point == 0);
  EXPECT(synap_tensor_quantizer(x, NULL, NULL));
  synap_network_destroy(network);
}

static void TestAssigning(void) {
  static const int16_t kInt16[6] = {1, 2, 3, 4, 5, 6};
  static const int32_t kInt32[6] = {7, 8, 9, 10, 11, 300};
  static const float kFloats[6] = {1, 2, 3, 4, 5, 6};
  synap_network* network = LoadNetwork();
  synap_tensor* x = synap_network_input(network, 0);
  synap_tensor* y = synap_network_output(network, 0);
  uint8_t* data = (uint8_t*)synap_tensor_data(x);
  EXPECT(data != NULL);
  EXPECT(synap_tensor_assign_int16(x, kInt16, 6) && data[5] == 6);
  EXPECT(synap_tensor_assign_int32(x, kInt32, 6) && data[0] == 7 && data[5] == 255);
  EXPECT(synap_tensor_assign_float(x, kFloats, 6) && data[1] == 2);
  EXPECT(synap_tensor_assign_uint8(x, kPixels, 6) && data[2] == 255);
  data[0] = 0;
  EXPECT(synap_tensor_assign_bytes(x, kPixels, 6) && data[0] == 128);
  EXPECT(synap_network_predict(network));
  EXPECT(memcmp(synap_tensor_data(y), kPixels, 6) == 0);
  EXPECT(fabsf(synap_tensor_as_float(y)[5] - 0.8f) < 1e-6f);
  data[0] = 0;
  EXPECT(synap_tensor_assign_tensor(x, y) && data[0] == 128);
  EXPECT(!synap_tensor_assign_scalar(x, 1));
  synap_network_destroy(network);
}

static void TestDetection(void) {
  synap_network* network = LoadNetwork();
  synap_input_data* picture = synap_input_data_create_from_file(WriteDetectionPicture());
  EXPECT(synap_input_data_type(picture) == SYNAP_INPUT_ENCODED_IMAGE);
  EXPECT(synap_input_data_width(picture) == 2 && synap_input_data_height(picture) == 1);
  synap_rect rect = {-1, -1, -1, -1};
  EXPECT(synap_network_preprocess(network, 0, picture, NULL, &rect));
  EXPECT(rect.x == 0 && rect.y == 0 && rect.width == 2 && rect.height == 1);
  EXPECT(synap_network_predict(network));
  synap_detector_options options = SYNAP_DETECTOR_OPTIONS_INIT;
  synap_detector* detector = synap_detector_create(&options);
  synap_detections* detections = synap_detector_process(detector, network, &rect);
  EXPECT(synap_detections_count(detections) == 1);
  synap_detection found = SYNAP_DETECTION_INIT;
  EXPECT(synap_detections_get(detections, 0, &found));
  EXPECT(found.class_index == 0 && fabsf(found.confidence - 0.8f) < 1e-6f);
  EXPECT(found.bounding_box.width == 2 && found.bounding_box.height == 1);
  EXPECT(found.landmarks == NULL && found.landmark_count == 0 && found.mask == NULL);
  synap_detections_destroy(detections);
  synap_detector_destroy(detector);

  options.score_threshold = 0.9f;
  detector = synap_detector_create(&options);
  detections = synap_detector_process(detector, network, &rect);
  EXPECT(detections != NULL && synap_detections_count(detections) == 0);
  synap_detections_destroy(detections);
  synap_detector_destroy(detector);
  synap_input_data_destroy(picture);
  synap_network_destroy(network);
}

static void TestPixels(void) {
  synap_network* network = LoadNetwork();
  uint8_t* data = (uint8_t*)synap_tensor_data(synap_network_input(network, 0));
  synap_input_data* pixels = synap_input_data_create_pixels(
      kPixels, sizeof kPixels, SYNAP_INPUT_IMAGE_8BITS, 2, 1, 3, SYNAP_LAYOUT_NHWC, "bgr");
  EXPECT(synap_network_preprocess(network, 0, pixels, NULL, NULL));
  EXPECT(data[0] == 255 && data[2] == 128);
  synap_input_data_destroy(pixels);
  pixels = synap_input_data_create_pixels(kPixels, sizeof kPixels, SYNAP_INPUT_IMAGE_8BITS, 2, 1, 3,
                                          SYNAP_LAYOUT_NCHW, NULL);
  EXPECT(synap_network_preprocess(network, 0, pixels, NULL, NULL));
  EXPECT(data[0] == 128 && data[1] == 255 && data[2] == 255 && data[3] == 128);
  synap_input_data_destroy(pixels);
  pixels = synap_input_data_create_pixels(kPixels, sizeof kPixels, SYNAP_INPUT_NV12, 2, 2, 0,
                                          SYNAP_LAYOUT_NONE, NULL);
  EXPECT(synap_input_data_type(pixels) == SYNAP_INPUT_NV12);
  EXPECT(synap_input_data_width(pixels) == 2 && synap_input_data_height(pixels) == 2);
  synap_input_data_destroy(pixels);
  synap_input_data* raw = synap_input_data_create(kPixels, sizeof kPixels, SYNAP_INPUT_RAW);
  EXPECT(synap_network_preprocess(network, 0, raw, NULL, NULL));
  EXPECT(memcmp(data, kPixels, sizeof kPixels) == 0);
  synap_input_data_destroy(raw);
  synap_network_destroy(network);
}

static void TestClassification(void) {
  synap_network* network = LoadNetwork();
  EXPECT(synap_tensor_assign_bytes(synap_network_input(network, 0), kPixels, 6));
  EXPECT(synap_network_predict(network));
  synap_class classes[8];
  size_t count = 0;
  EXPECT(synap_network_classify(network, classes, 1, &count));
  EXPECT(count == 1 && classes[0].class_index == 2 && fabsf(classes[0].confidence - 1) < 1e-6f);
  EXPECT(synap_network_classify(network, classes, 8, &count));
  EXPECT(count == 6 && classes[5].class_index == 1);
  synap_labels* labels = synap_labels_create(WriteDetectionModel());
  EXPECT(labels != NULL && synap_labels_count(labels) == 0);
  EXPECT(strcmp(synap_labels_get(labels, 2), "") == 0);
  synap_labels_destroy(labels);
  synap_network_destroy(network);
}

static void TestOutputImages(void) {
  synap_network* network = LoadNetwork();
  EXPECT(synap_tensor_assign_bytes(synap_network_input(network, 0), kPixels, 6));
  EXPECT(synap_network_predict(network));
  synap_output_image* image = synap_output_image_create(network);
  EXPECT(synap_output_image_size(image) == 6);
  EXPECT(memcmp(synap_output_image_data(image), kPixels, 6) == 0);
  EXPECT(strcmp(synap_output_image_format(image), "yolov5") == 0);
  EXPECT(synap_output_image_width(image) == 0 && synap_output_image_height(image) == 0);
  synap_output_image_destroy(image);
  synap_network_destroy(network);
}

static void TestProfiling(void) {
  synap_network* network = synap_network_create();
  synap_network_set_profiling(network, true);
  EXPECT(synap_network_load_file(network, WriteDetectionModel(), NULL));
  EXPECT(strcmp(synap_network_profile(network), "") == 0);
  EXPECT(synap_network_predict(network));
  EXPECT(strstr(synap_network_profile(network), "inference_count: 1") != NULL);
  synap_network_destroy(network);
}

struct Messages {
  int count;
  synap_log_level level;
  char last[200];
};

static void Remember(synap_log_level level, const char* message, void* user) {
  struct Messages* messages = (struct Messages*)user;
  ++messages->count;
  messages->level = level;
  strncpy(messages->last, message, sizeof messages->last - 1);
}

static void TestMessages(void) {
  struct Messages messages = {0, SYNAP_LOG_NONE, ""};
  synap_set_log_callback(Remember, &messages);
  synap_set_log_level(SYNAP_LOG_ERROR);
  synap_clear_last_error();
  EXPECT(strcmp(synap_last_error(), "") == 0);
  EXPECT(synap_input_data_create_from_file("none.jpg") == NULL);
  EXPECT(messages.count == 1 && messages.level == SYNAP_LOG_ERROR);
  EXPECT(strcmp(messages.last, synap_last_error()) == 0);
  EXPECT(strstr(messages.last, "none.jpg") != NULL);
  synap_set_log_callback(NULL, NULL);
}

static void TestThreads(void) {
  EXPECT(synap_set_thread_count(3) && synap_thread_count() == 3);
  EXPECT(!synap_set_thread_count(-1) && synap_thread_count() == 3);
  EXPECT(synap_set_thread_count(0) && synap_thread_count() >= 1);
}

static void TestTarget(void) {
  EXPECT(synap_set_target("VS680"));
  EXPECT(!synap_set_target(NULL));
  EXPECT(synap_set_target(""));
}

static void TestNpu(void) {
  synap_npu* npu = synap_npu_create();
  EXPECT(!synap_npu_is_locked(npu));
  if (synap_npu_available(npu)) {
    EXPECT(synap_npu_lock(npu) && synap_npu_is_locked(npu));
    EXPECT(synap_npu_unlock(npu) && !synap_npu_is_locked(npu));
  }
  synap_npu_destroy(npu);
}

int main(void) {
  setenv("XDG_RUNTIME_DIR", getenv("TEST_TMPDIR"), 1);  // a lock of its own
  TestVersion();
  TestTensors();
  TestAssigning();
  TestDetection();
  TestPixels();
  TestClassification();
  TestOutputImages();
  TestProfiling();
  TestMessages();
  TestThreads();
  TestTarget();
  TestNpu();
  return failures == 0 ? 0 : 1;
}
