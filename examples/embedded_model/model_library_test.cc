// A model of synap_cc_model, from the program's memory and from its runfiles.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "examples/embedded_model/shapes_model.h"
#include "examples/embedded_model/shapes_model_file.h"
#include "gtest/gtest.h"
#include "synap/network.hpp"

namespace {

using ::examples::models::shapes_model;
using ::examples::models::shapes_model_file;
using ::synap_internal::ReadFile;
using ::synaptics::synap::Network;

// The outputs for an input of 0, 7, 14, ...
std::vector<float> Predict(Network& net) {
  std::vector<uint8_t> pixels(net.inputs[0].size());
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(7 * i);
  EXPECT_TRUE(net.inputs[0].assign(pixels.data(), pixels.size()));
  EXPECT_TRUE(net.predict());
  const float* values = net.outputs[0].as_float();
  return {values, values + net.outputs[0].item_count()};
}

// What a command prints.
std::string Output(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

TEST(ModelLibraryTest, EmbedsTheBytesOfTheFile) {
  const auto file = ReadFile(shapes_model_file());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(shapes_model() == *file);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(shapes_model().data()) % 64, 0u);
}

TEST(ModelLibraryTest, RunsTheSameNetworkFromBoth) {
  Network embedded, from_file;
  ASSERT_TRUE(embedded.load_model(shapes_model().data(), shapes_model().size()));
  ASSERT_TRUE(from_file.load_model(shapes_model_file()));
  const std::vector<float> outputs = Predict(embedded);
  EXPECT_GT(outputs.size(), 1u);
  EXPECT_EQ(outputs, Predict(from_file));
}

TEST(ModelLibraryTest, FindsTheFileAsRunfilesLibrariesDo) {
  const std::string folder = std::getenv("TEST_SRCDIR");
  const std::string expected = shapes_model_file();
  EXPECT_EQ(expected.rfind(folder + "/", 0), 0u) << expected;

  unsetenv("TEST_SRCDIR");
  setenv("RUNFILES_DIR", folder.c_str(), 1);
  EXPECT_EQ(shapes_model_file(), expected);

  unsetenv("RUNFILES_DIR");
  const std::string manifest = std::getenv("TEST_TMPDIR") + std::string("/MANIFEST");
  const std::string path = expected.substr(folder.size() + 1);
  ASSERT_TRUE(synap_internal::WriteFileAtomically(
                  manifest, path + ".other /elsewhere\n" + path + " /some/where/model.synap\n")
                  .ok());
  setenv("RUNFILES_MANIFEST_FILE", manifest.c_str(), 1);
  EXPECT_EQ(shapes_model_file(), "/some/where/model.synap");

  // The working directory of a test is that of `bazel run`.
  unsetenv("RUNFILES_MANIFEST_FILE");
  EXPECT_EQ(access(shapes_model_file().c_str(), R_OK), 0) << shapes_model_file();
  setenv("TEST_SRCDIR", folder.c_str(), 1);
}

TEST(ModelLibraryTest, MakesAProgramThatNeedsNoFile) {
  const std::string folder =
      std::getenv("TEST_SRCDIR") + std::string("/") + std::getenv("TEST_WORKSPACE");
  const std::string text = Output("cd / && " + folder + "/examples/embedded_model/classify " +
                                  folder + "/models/classifier/evaluation/shape_000.jpg");
  EXPECT_NE(text.find("shape_000.jpg: class "), std::string::npos) << text;
}

}  // namespace
