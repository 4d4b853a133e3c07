// The examples of the framework's documentation, as an application would have them. They are copied
// unchanged; a comment says where one can't compile and takes the nearest legal form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "synap/buffer.hpp"
#include "synap/classifier.hpp"
#include "synap/detector.hpp"
#include "synap/image_postprocessor.hpp"
#include "synap/input_data.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

namespace {

using std::string;
using std::vector;
using synaptics::synap::Buffer;
using synaptics::synap::Classifier;
using synaptics::synap::cma_allocator;
using synaptics::synap::Detector;
using synaptics::synap::ImagePostprocessor;
using synaptics::synap::InputData;
using synaptics::synap::last_error;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;
using ::testing::Each;
using ::testing::ElementsAre;

using synap_internal::DataType;
using synap_internal::MakeMetadata;
using synap_internal::MakeReshapeModel;
using synap_internal::TensorLayout;
using synap_internal::TensorMetadata;

// The routines named custom... of the document. Data is 0, 1, 2, ...
vector<float> results;  // of custom_process_result

void custom_generate_input_data(void* data, size_t size) {
  ASSERT_NE(data, nullptr);
  for (size_t i = 0; i < size; ++i) static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(i);
}

vector<uint8_t> custom_read_input_data() { return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; }

void custom_generate_data(uint8_t* data, size_t count) { custom_generate_input_data(data, count); }

void custom_start_generating_input_data(Buffer* buffer) {
  custom_generate_input_data(buffer->data(), buffer->size());
}

void custom_wait_for_input_data() {}

void custom_process_result(const float* values, size_t count) {
  ASSERT_NE(values, nullptr);
  results.assign(values, values + count);
}

void custom_process_result(const Tensor& tensor) {
  custom_process_result(tensor.as_float(), tensor.item_count());
}

// Models of 10 bytes in and out: an image of 5x2, and `output` with that format.
string Model(synap_internal::Shape output, const string& format) {
  TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {1, 2, 5, 1}, {}});
  x.layout = TensorLayout::kNhwc;
  TensorMetadata y = MakeMetadata("y", {DataType::kUint8, std::move(output), {}});
  if (y.shape.rank() == 4) y.layout = TensorLayout::kNhwc;
  y.data_format = format;
  return MakeReshapeModel(x, y);
}

void Write(const string& name, const string& bytes) {
  ASSERT_TRUE(synap_internal::WriteFileAtomically(name, bytes).ok());
}

// The files that the examples name are in the current folder.
class DocumentedExamplesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::current_path(std::getenv("TEST_TMPDIR"));
    Write("model.synap", Model({1, 10}, ""));
    Write("nbg1.synap", Model({1, 2, 5, 1}, ""));
    Write("nbg2.synap", Model({10}, ""));
    Write("sample_rgb_image.dat", string("\0\1\2\3\4\5\6\7\10\11", 10));
    synap_internal::Image image = synap_internal::MakeImage(5, 2, 1);
    for (uint8_t& pixel : image.pixels) pixel = 200;
    Write("sample_image.jpg", *synap_internal::EncodeJpeg(image));
    results.clear();
  }

  void TearDown() override { std::filesystem::current_path(start_); }

 private:
  const std::filesystem::path start_ = std::filesystem::current_path();
};

const auto kResult = ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

// Prints the objects that a detection network finds in a photograph.
bool detect(const std::string& photo) {
  Network net;
  Rect area;
  if (!net.load_model("model.synap") ||
      !Preprocessor().assign(net.inputs[0], InputData(photo), &area) || !net.predict()) {
    std::cerr << last_error() << "\n";
    return false;
  }
  for (const auto& object : Detector().process(net.outputs, area).items) {
    std::cout << object.class_index << ": " << object.confidence << " at " << object.bounding_box
              << "\n";
  }
  return true;
}

TEST_F(DocumentedExamplesTest, DetectingInAFunction) {  // of docs/api.md
  Write("model.synap", Model({1, 5, 2}, "yolov8"));
  testing::internal::CaptureStdout();
  EXPECT_TRUE(detect("sample_image.jpg"));
  EXPECT_EQ(testing::internal::GetCapturedStdout().rfind("0: 200 at ", 0), 0);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(detect("missing.jpg"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("no data to assign\n"));
}

TEST_F(DocumentedExamplesTest, UsingANetwork) {
  Network net;
  net.load_model("model.synap");
  vector<uint8_t> in_data = custom_read_input_data();
  net.inputs[0].assign(in_data.data(), in_data.size());
  net.predict();
  custom_process_result(net.outputs[0].as_float(), net.outputs[0].item_count());

  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, WritingInsideOfTheTensor) {
  Network net;
  net.load_model("model.synap");

  custom_generate_input_data(net.inputs[0].data(), net.inputs[0].size());
  net.predict();

  custom_process_result(net.outputs[0]);
  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, AccessingTensorData) {
  Network net;
  net.load_model("model.synap");
  size_t size = net.inputs[0].size();
  const vector<uint8_t> raw = custom_read_input_data();

  uint8_t* data_ptr = net.inputs[0].data<uint8_t>();
  if (data_ptr) {
    custom_generate_data(data_ptr, net.inputs[0].item_count());
  }

  EXPECT_NE(data_ptr, nullptr);
  EXPECT_EQ(net.inputs[0].data<float>(), nullptr);

  void* in_data_ptr = net.inputs[0].data();
  void* out_data_ptr = net.outputs[0].data();

  EXPECT_EQ(in_data_ptr, data_ptr);
  EXPECT_NE(out_data_ptr, nullptr);

  const void* in_raw_data_ptr = raw.data();
  net.inputs[0].assign(in_raw_data_ptr, size);

  ASSERT_TRUE(net.predict());
  EXPECT_EQ(std::memcmp(out_data_ptr, raw.data(), size), 0);
}

TEST_F(DocumentedExamplesTest, SettingBuffers) {
  Network net;
  net.load_model("model.synap");

  // Replace the default buffer with one using contiguous memory
  Buffer cma_buffer(net.inputs[0].size(), cma_allocator());
  net.inputs[0].set_buffer(&cma_buffer);

  // Do inference as usual
  custom_generate_input_data(net.inputs[0].data(), net.inputs[0].size());
  net.predict();

  EXPECT_EQ(net.inputs[0].buffer(), &cma_buffer);
  custom_process_result(net.outputs[0]);
  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, SettingDefaultBufferProperties) {
  Network net;
  net.load_model("model.synap");

  // Use contiguous allocator for default buffer in input[0]
  net.inputs[0].buffer()->set_allocator(cma_allocator());

  // Do inference as usual
  custom_generate_input_data(net.inputs[0].data(), net.inputs[0].size());
  net.predict();

  custom_process_result(net.outputs[0]);
  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, SharingAnInputBuffer) {
  Network net1;
  net1.load_model("nbg1.synap");
  Network net2;
  net2.load_model("nbg2.synap");

  // Use a common input buffer for the two networks (assume same input size)
  Buffer in_buffer;
  net1.inputs[0].set_buffer(&in_buffer);
  net2.inputs[0].set_buffer(&in_buffer);

  // Do inference as usual
  custom_generate_input_data(in_buffer.data(), in_buffer.size());
  net1.predict();
  net2.predict();

  custom_process_result(net1.outputs[0]);
  EXPECT_THAT(results, kResult);
  custom_process_result(net2.outputs[0]);
  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, ProcessingTheOutputOfANetwork) {
  Network net1;
  net1.load_model("nbg1.synap");
  Network net2;
  net2.load_model("nbg2.synap");

  // Use net1 output as net2 input. Disable CPU access for better performance.
  net1.outputs[0].buffer()->allow_cpu_access(false);
  net2.inputs[0].set_buffer(net1.outputs[0].buffer());  // the document has one more bracket

  // Do inference as usual
  custom_generate_input_data(net1.inputs[0].data(), net1.inputs[0].size());
  net1.predict();
  net2.predict();

  custom_process_result(net2.outputs[0]);
  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, SharingAPartOfABuffer) {
  TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {16}, {}});
  TensorMetadata y = MakeMetadata("y", {DataType::kUint8, {1, 16}, {}});
  Write("nbg2.synap", MakeReshapeModel(x, y));

  Network net2;  // Important: this has to be declared first, so it is destroyed after net1
  net2.load_model("nbg2.synap");
  Network net1;
  net1.load_model("nbg1.synap");

  // Initialize the entire destination tensor now that we still have CPU access to it
  memset(net2.inputs[0].data(), 0, net2.inputs[0].size());

  // Replace net1 output buffer with a new one using (part of) the memory of net2 input buffer.
  // The document has net2.outputs[0].size(), which is the size of another tensor.
  *net1.outputs[0].buffer() = Buffer(*net2.inputs[0].buffer(), 0, net1.outputs[0].size());

  // Disable CPU access for better performance
  net1.outputs[0].buffer()->allow_cpu_access(false);
  net2.inputs[0].buffer()->allow_cpu_access(false);

  // Do inference as usual
  custom_generate_input_data(net1.inputs[0].data(), net1.inputs[0].size());
  net1.predict();
  net2.predict();

  custom_process_result(net2.outputs[0]);
  EXPECT_THAT(results, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0));
}

TEST_F(DocumentedExamplesTest, RecyclingBuffers) {
  Network net;
  net.load_model("model.synap");

  // Create two input buffers
  const size_t input_size = net.inputs[0].size();
  // The document initializes the vector with a list, which copies its elements; buffers can't be.
  vector<Buffer> buffers;
  buffers.emplace_back(input_size);
  buffers.emplace_back(input_size);

  int current = 0;
  custom_start_generating_input_data(&buffers[current]);
  int frames = 0;
  while (frames++ < 4) {  // the document's loop has no end
    custom_wait_for_input_data();

    // Do inference on current data while filling the other buffer
    net.inputs[0].set_buffer(&buffers[current]);
    current = !current;
    custom_start_generating_input_data(&buffers[current]);
    net.predict();
    custom_process_result(net.outputs[0]);
    EXPECT_THAT(results, kResult);
  }
}

Network my_create_network(string nb_name, string meta_name) {
  Network net;
  net.load_model(nb_name, meta_name);  // the document has net.load, which doesn't exist
  return net;
}

TEST_F(DocumentedExamplesTest, MovingNetworks) {
  Network network = my_create_network("model.synap", "");  // the document omits the second
  EXPECT_TRUE(network.predict());
}

TEST_F(DocumentedExamplesTest, InputDataOfAFile) {
  Network net;
  net.load_model("model.synap");
  InputData image("sample_rgb_image.dat");
  net.inputs[0].assign(image.data(), image.size());
  net.predict();
  custom_process_result(net.outputs[0]);

  EXPECT_THAT(results, kResult);
}

TEST_F(DocumentedExamplesTest, PostprocessingAnImage) {
  Write("model.synap", Model({1, 2, 5, 1}, "gray"));
  using synaptics::synap::binary_file_write;

  Preprocessor preprocessor;  // the document has no semicolon
  Network net;
  ImagePostprocessor postprocessor;

  net.load_model("model.synap");
  InputData image("sample_image.jpg");
  preprocessor.assign(net.inputs[0], image);
  net.predict();
  // Convert to nv21
  ImagePostprocessor::Result out_image = postprocessor.process(net.outputs);
  binary_file_write("out_file.nv21", out_image.data.data(), out_image.data.size());

  EXPECT_TRUE(out_image.success);
  EXPECT_THAT(synaptics::synap::binary_file_read("out_file.nv21"), Each(200));
}

TEST_F(DocumentedExamplesTest, ClassifyingAnImage) {
  Preprocessor preprocessor;  // the document has no semicolon
  Network net;
  Classifier classifier(5);
  net.load_model("model.synap");
  InputData image("sample_image.jpg");
  preprocessor.assign(net.inputs[0], image);
  net.predict();
  Classifier::Result top5 = classifier.process(net.outputs);

  EXPECT_TRUE(top5.success);
  ASSERT_EQ(top5.items.size(), 5);
  EXPECT_EQ(top5.items[0].class_index, 0);
  EXPECT_EQ(top5.items[0].confidence, 200);
}

TEST_F(DocumentedExamplesTest, DetectingObjects) {
  // Two boxes of centre, size and one class.
  Write("model.synap", Model({1, 5, 2}, "yolov8"));

  Preprocessor preprocessor;  // the document has no semicolon
  Network net;
  Detector detector;
  net.load_model("model.synap");
  InputData image("sample_image.jpg");
  Rect image_rect;
  preprocessor.assign(net.inputs[0], image, &image_rect);
  net.predict();
  Detector::Result objects = detector.process(net.outputs, image_rect);

  EXPECT_EQ(image_rect, (Rect{{0, 0}, {5, 2}}));
  EXPECT_TRUE(objects.success);
  ASSERT_EQ(objects.items.size(), 1);
  EXPECT_EQ(objects.items[0].confidence, 200);
}

}  // namespace
