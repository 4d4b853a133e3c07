// Files that are no TorchScript modules: each gives one clear error, without libtorch.
#include "compiler/import/torchscript/module_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal::torchscript_import {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Module(const std::string& name) {
  const auto bytes = ReadFile(absl::StrCat("testdata/torchscript/", name));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *bytes;
}

std::string ErrorOf(absl::string_view bytes) {
  return std::string(CheckModuleFile(bytes).message());
}

TEST(ModuleFileTest, AcceptsModules) {
  EXPECT_EQ(ErrorOf(Module("pooling_traced.pt")), "");
  EXPECT_EQ(ErrorOf(Module("quantized_scripted.pt")), "");
}

TEST(ModuleFileTest, ExplainsStateDictsAndPickles) {
  for (const char* name : {"state_dict.pt", "pickled_legacy.pt"}) {
    const std::string error = ErrorOf(Module(name));
    EXPECT_THAT(error, StartsWith("is not a TorchScript module: it "));
    EXPECT_THAT(error, HasSubstr("a state dict (parameters alone) or a pickled module"));
    EXPECT_THAT(error, HasSubstr("torch.jit.trace"));
  }
}

TEST(ModuleFileTest, NamesOtherBytes) {
  EXPECT_EQ(ErrorOf(""), "is not a TorchScript module: it is empty");
  EXPECT_THAT(ErrorOf("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("git lfs pull"));
  EXPECT_EQ(ErrorOf("import torch\n"), "is not a TorchScript module: it is not a ZIP archive");
}

TEST(ModuleFileTest, TruncationsAndChangedBytesAreErrorsOrModules) {
  const std::string bytes = Module("pooling_traced.pt");
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(CheckModuleFile(absl::string_view(bytes).substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(ErrorOf(bytes.substr(0, bytes.size() / 2)), HasSubstr("truncated or damaged"));
  for (size_t i = 0; i < bytes.size(); i += 3) {
    std::string changed = bytes;
    changed[i] = '\xff';
    (void)CheckModuleFile(changed);
  }
}

}  // namespace
}  // namespace synap_internal::torchscript_import
