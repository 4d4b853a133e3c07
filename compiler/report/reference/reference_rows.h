// Rows of docs/metafile.md and docs/commands.md: what no table of the code has of a field or an
// option.
#ifndef COMPILER_REPORT_REFERENCE_REFERENCE_ROWS_H_
#define COMPILER_REPORT_REFERENCE_REFERENCE_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/metafile/source_location.h"

namespace synap_internal {

struct ReferenceRow {
  SourceLocation location;
  std::string name;  // as the code knows it: "inputs[].scale", "delegate: npu", "--model"
  std::string form;  // instead of `name`: what the code has no table of, as the variable "${ENV:x}"
  std::string meaning;
  std::string fallback;  // `default` in the file
  std::string example;
  std::string test;  // "//compiler/metafile:metafile_test MetafileTest.ReadsEveryField"
};

struct ReferenceSection {
  SourceLocation location;
  std::string title;
  std::string text;             // Markdown before the table
  std::vector<std::string> of;  // commands that have the options of the rows
  std::vector<ReferenceRow> rows;
};

// Reads a list of sections (YAML). A section's `test` stands for those of its rows without one.
// InvalidArgument "<path>:<line>:<column>: ..." for text of another form and for rows without
// exactly one of `name` and `form`, without example, or without test.
absl::StatusOr<std::vector<ReferenceSection>> ParseReferenceRows(const std::string& text,
                                                                 const std::string& path);

// A row's `test` taken apart.
struct TestName {
  std::string source;  // "compiler/metafile/metafile_test.cc", or .py for a name "test_..."
  std::string suite;   // "MetafileTest"
  std::string name;    // "ReadsEveryField"
};
absl::StatusOr<TestName> ParseTestName(absl::string_view test);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_REFERENCE_REFERENCE_ROWS_H_
