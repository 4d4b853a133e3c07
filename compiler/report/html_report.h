// A report as one HTML file: it needs no network, prints, and reads in light and dark, on a phone,
// and without scripts. Tables sort and the graph is drawn by report.js.
#ifndef COMPILER_REPORT_HTML_REPORT_H_
#define COMPILER_REPORT_HTML_REPORT_H_

#include <string>

#include "compiler/report/model_diff.h"
#include "compiler/report/model_report.h"

namespace synap_internal {

// Names and texts of the report may hold any bytes. A pure function of its argument.
std::string HtmlReport(const ModelReport& report);
std::string HtmlReport(const ModelDiff& diff);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_HTML_REPORT_H_
