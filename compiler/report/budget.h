// Budgets of a compiled model: limits of its time, memory, work on the CPU and quantization error.
#ifndef COMPILER_REPORT_BUDGET_H_
#define COMPILER_REPORT_BUDGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/report/model_report.h"

namespace synap_internal {

// Limits that a model may reach; those without a value aren't checked.
struct Budget {
  std::optional<double> max_latency_ms;  // estimated time of one inference, milliseconds, to 1e9
  std::optional<double> max_arena_kb;    // of all subgraphs together, 1024 bytes, 0 to 1e9
  std::optional<double> max_cpu_macs_percent;  // of all multiply-accumulates, 0 to 100
  std::optional<double> min_sqnr_db;           // of each output against the float network, 0 to 200
};

struct BudgetVerdict {
  // A line for each limit, then for each one that is exceeded the layers that cost or lose most.
  // Ends with a newline.
  std::string text;
  // "latency is 1.8 ms, expected at most 1 ms"; empty if the model keeps the budget.
  std::vector<std::string> exceeded;
};

// InvalidArgument naming the limit if there is none, if one is out of its range, or if the model
// lacks the figure: min_sqnr_db needs AddAnalysis, max_latency_ms a known target.
absl::StatusOr<BudgetVerdict> CheckBudget(const ModelReport& model, const Budget& budget);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_BUDGET_H_
