// Names that a page must have a row for, each once and no others.
#ifndef COMPILER_REPORT_REFERENCE_DOCUMENTED_NAMES_H_
#define COMPILER_REPORT_REFERENCE_DOCUMENTED_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/report/reference/help_options.h"
#include "compiler/report/reference/reference_rows.h"

namespace synap_internal {

// The fields of the metafile, each followed by its words: "delegate", "delegate: npu".
std::vector<std::string> MetafileNames();

// Gives the rows of fields their meaning and default, which compiler/metafile/fields.cc has.
// InvalidArgument for a row that has its own.
absl::Status DescribeFields(std::vector<ReferenceSection>& sections, const std::string& path);

std::vector<ReferenceRow> AllRows(const std::vector<ReferenceSection>& sections);

// InvalidArgument that lists the names of `known` without a row, and the rows with a name that
// isn't one of them or is that of another row. `where` begins each line.
absl::Status CheckNames(const std::vector<std::string>& known,
                        const std::vector<ReferenceRow>& rows, const std::string& where);

// The same of each command: its options and the rows of all sections that are `of` it. Other
// sections have forms only.
absl::Status CheckCommands(const CommandHelp& help, const std::vector<ReferenceSection>& sections,
                           const std::string& path);

// The option of `command` whose row has that name, the last of its own; null if there is none.
const HelpOption* FindOption(const CommandHelp& help, const std::string& command,
                             const std::string& name);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_REFERENCE_DOCUMENTED_NAMES_H_
