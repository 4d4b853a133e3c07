// What the importer makes of the suite's cases, exported as ONNX and imported again, has to give
// what it gave before:
//   export_test <folder of the group>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "compiler/import/onnx/conformance/run_case.h"
#include "compiler/import/onnx/conformance/suite_files.h"
#include "gtest/gtest.h"

namespace synap_internal::onnx_import {
namespace {

class ExportedCase : public testing::Test {
 public:
  explicit ExportedCase(std::string folder) : folder_(std::move(folder)) {}

  void TestBody() override {
    // Which cases fail as they are is conformance_test's matter.
    if (!RunCase(folder_, Route::kImported).ok()) GTEST_SKIP();
    const absl::Status status = RunCase(folder_, Route::kExported);
    EXPECT_TRUE(status.ok()) << status.message();
  }

 private:
  const std::string folder_;
};

}  // namespace
}  // namespace synap_internal::onnx_import

// A test for each case, so that they are spread over the shards.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s <folder of the group>\n", argv[0]);
    return 1;
  }
  const std::string group = argv[1];
  const auto cases = synap_internal::onnx_import::ListCases(group);
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    return 1;
  }
  for (const std::string& name : *cases) {
    testing::RegisterTest(
        "ExportTest", name.c_str(), nullptr, nullptr, __FILE__, __LINE__, [=]() -> testing::Test* {
          return new synap_internal::onnx_import::ExportedCase(group + "/" + name);
        });
  }
  return RUN_ALL_TESTS();
}
