#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::HasSubstr;

using Entries = std::vector<std::pair<std::string, std::string>>;

// A model whose only output is a float32[2] in external data.
std::string ModelWith(const Entries& entries) {
  TestModel model;
  model.Floats("w", {2}, {}).Node("Identity", {"w"}, {"y"}).Output("y");
  onnx::TensorProto* tensor = model.graph().mutable_initializer(0);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return model.Bytes();
}

class ExternalDataTest : public testing::Test {
 protected:
  void SetUp() override {
    const float values[] = {1, 2, 3, 4};
    const absl::string_view bytes(reinterpret_cast<const char*>(values), sizeof(values));
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/weights.bin", bytes).ok());
  }

  absl::StatusOr<Graph> Import(const Entries& entries) {
    EXPECT_TRUE(WriteFileAtomically(path_, ModelWith(entries)).ok());
    ASSIGN_OR_RETURN(ImportedModel model, ImportOnnx({path_}, {}));
    return std::move(model.graph);
  }
  std::string ErrorOf(const Entries& entries) {
    return std::string(Import(entries).status().message());
  }

  const std::string folder_ = testing::TempDir();
  const std::string path_ = folder_ + "/external.onnx";
};

TEST_F(ExternalDataTest, IsReadAtItsOffset) {
  const absl::StatusOr<Graph> graph =
      Import({{"location", "weights.bin"}, {"offset", "8"}, {"length", "8"}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->outputs[0]->values<float>(), testing::ElementsAre(3, 4));
}

TEST_F(ExternalDataTest, WithoutLengthReachesToTheEnd) {
  const absl::StatusOr<Graph> graph = Import({{"location", "weights.bin"}, {"offset", "8"}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->outputs[0]->values<float>(), testing::ElementsAre(3, 4));
}

TEST_F(ExternalDataTest, MisalignedDataIsCopied) {
  const absl::StatusOr<Graph> graph =
      Import({{"location", "weights.bin"}, {"offset", "1"}, {"length", "8"}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(graph->outputs[0]->values<float>().data()) % 4, 0);
}

TEST_F(ExternalDataTest, StaysInsideOfTheModelsFolder) {
  for (const char* location :
       {"../weights.bin", "a/../../weights.bin", "/etc/passwd", "", "..\\weights.bin"}) {
    EXPECT_THAT(ErrorOf({{"location", location}}), HasSubstr("is not below the model's folder"))
        << location;
  }
}

TEST_F(ExternalDataTest, AZeroByteDoesntShortenItsName) {
  EXPECT_THAT(ErrorOf({{"location", std::string("weights.bin\0.bin", 16)}}),
              HasSubstr("is not below the model's folder"));
}

TEST_F(ExternalDataTest, ALinkOutOfTheModelsFolderIsRefused) {
  namespace fs = std::filesystem;
  const std::string outside = folder_ + "/outside", inside = folder_ + "/inside";
  for (const std::string& folder : {outside, inside, inside + "/sub"}) fs::create_directory(folder);
  fs::copy_file(folder_ + "/weights.bin", outside + "/secret");
  fs::copy_file(folder_ + "/weights.bin", inside + "/weights.bin");
  fs::create_symlink("../outside/secret", inside + "/link.bin");
  fs::create_symlink("../outside", inside + "/folder");
  fs::create_symlink("../weights.bin", inside + "/sub/link.bin");
  const auto import = [&](const std::string& location) {
    const Entries entries = {{"location", location}, {"length", "8"}};
    EXPECT_TRUE(WriteFileAtomically(inside + "/m.onnx", ModelWith(entries)).ok());
    EXPECT_EQ(ExternalDataFiles(inside + "/m.onnx").ok(),
              ImportOnnx({inside + "/m.onnx"}, {}).ok());
    return ImportOnnx({inside + "/m.onnx"}, {}).status();
  };
  EXPECT_THAT(std::string(import("link.bin").message()),
              testing::AllOf(HasSubstr("external data location 'link.bin' is a link to '"),
                             HasSubstr("/outside/secret', which is not below the model's folder")));
  EXPECT_FALSE(import("folder/secret").ok());
  EXPECT_TRUE(import("sub/link.bin").ok());
}

// As in a build's sandbox, or in a store that names files by their content.
TEST_F(ExternalDataTest, LinksToAModelAndItsDataSideBySideAreFollowed) {
  namespace fs = std::filesystem;
  const std::string linked = folder_ + "/linked";
  fs::create_directory(linked);
  const Entries entries = {{"location", "weights.bin"}, {"length", "8"}};
  ASSERT_TRUE(WriteFileAtomically(path_, ModelWith(entries)).ok());
  fs::create_symlink(path_, linked + "/external.onnx");
  fs::create_symlink(folder_ + "/weights.bin", linked + "/weights.bin");
  const auto model = ImportOnnx({linked + "/external.onnx"}, {});
  EXPECT_TRUE(model.ok()) << model.status();
}

TEST_F(ExternalDataTest, StaysInsideOfItsFile) {
  EXPECT_THAT(ErrorOf({{"location", "weights.bin"}, {"offset", "12"}, {"length", "8"}}),
              HasSubstr("offset 12 of length 8 is outside of 'weights.bin', which has 16 bytes"));
  EXPECT_THAT(ErrorOf({{"location", "weights.bin"}, {"offset", "9223372036854775807"}}),
              HasSubstr("is outside of"));
  EXPECT_THAT(ErrorOf({{"location", "weights.bin"}, {"offset", "-4"}}),
              HasSubstr("expected a number of bytes"));
}

TEST_F(ExternalDataTest, HasTheSizeOfTheTensor) {
  EXPECT_THAT(ErrorOf({{"location", "weights.bin"}}),
              HasSubstr("has 16 bytes of data, expected 8"));
}

TEST_F(ExternalDataTest, MissingFileIsNamed) {
  EXPECT_THAT(ErrorOf({{"location", "none.bin"}}), HasSubstr("none.bin"));
}

TEST_F(ExternalDataTest, ModelInMemoryHasNone) {
  const auto graph = ImportOnnxBytes(ModelWith({{"location", "weights.bin"}}), "x", {});
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr("a model in memory can't have"));
}

TEST_F(ExternalDataTest, FilesAreFoundInAllPlacesOfAModel) {
  const auto refer = [](onnx::TensorProto* tensor, const char* location) {
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value(location);
  };
  TestModel model;
  model.Floats("w", {2}, {}).Node("If", {"w"}, {"y"}).Output("y");
  refer(model.graph().mutable_initializer(0), "weights.bin");
  onnx::AttributeProto* attribute = model.graph().mutable_node(0)->add_attribute();
  refer(attribute->mutable_t(), "attribute.bin");
  refer(attribute->mutable_g()->add_initializer(), "sub/graph.bin");
  refer(attribute->add_graphs()->add_node()->add_attribute()->add_tensors(), "weights.bin");
  refer(model.graph().add_sparse_initializer()->mutable_values(), "sparse.bin");
  ASSERT_TRUE(WriteFileAtomically(path_, model.Bytes()).ok());
  const auto files = ExternalDataFiles(path_);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, testing::ElementsAre(folder_ + "/attribute.bin", folder_ + "/sparse.bin",
                                           folder_ + "/sub/graph.bin", folder_ + "/weights.bin"));
}

TEST_F(ExternalDataTest, TheWordLocationAloneIsNoFile) {
  TestModel model;
  model.Floats("location", {2}, {1, 2}).Node("Identity", {"location"}, {"y"}).Output("y");
  ASSERT_TRUE(WriteFileAtomically(path_, model.Bytes()).ok());
  const auto files = ExternalDataFiles(path_);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, testing::IsEmpty());
}

}  // namespace
}  // namespace synap_internal::onnx_import
