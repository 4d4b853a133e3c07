#include "runtime/verify/self_test_run.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/executor/executor.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/verify.h"

namespace synap_internal {
namespace {

// "1 sample", "2 samples".
std::string Counted(size_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// The errors don't name the file.
absl::StatusOr<std::string> RunCases(const std::string& synap, int threads,
                                     std::vector<std::string>& failures) {
  ASSIGN_OR_RETURN(const Bundle bundle, ReadBundle(AsBytes(synap)));
  ASSIGN_OR_RETURN(const std::vector<SelfTestCase> cases, ReadSelfTest(AsBytes(synap)));
  if (cases.empty()) {
    return absl::InvalidArgumentError(
        "it has no self-test, expected one; convert with --self-test 1 (build rules: self_test = "
        "1), or compare with recorded tensors by synap verify --against");
  }
  ExecutorOptions options;
  options.threads = threads;
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleRun> fast, BundleRun::Create(bundle, options));
  options.path = KernelPath::kReference;
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleRun> reference, BundleRun::Create(bundle, options));
  ASSIGN_OR_RETURN(Verification result, Verify(*fast, *reference, cases));
  failures = std::move(result.failures);
  std::string text = absl::StrCat(Counted(cases.size(), "sample"),
                                  " as recorded: ", Counted(result.outputs, "output"));
  if (result.layers > 0) absl::StrAppend(&text, " and ", result.layers, " results of layers");
  return text;
}

}  // namespace

absl::StatusOr<std::string> RunSelfTest(const std::string& path, int threads) {
  ASSIGN_OR_RETURN(const std::string synap, ReadFile(path));
  std::vector<std::string> failures;
  ASSIGN_OR_RETURN(const std::string text, Annotate(RunCases(synap, threads, failures), path));
  if (failures.empty()) return absl::StrCat(path, ": ", text);
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", absl::StrJoin(failures, absl::StrCat("\n", path, ": "))));
}

}  // namespace synap_internal
