// Text in HTML pages.
#ifndef COMPILER_REPORT_HTML_TEXT_H_
#define COMPILER_REPORT_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Text as HTML, in an element or in a quoted attribute. Bytes of a model file mustn't become
// markup.
std::string EscapedHtml(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_HTML_TEXT_H_
