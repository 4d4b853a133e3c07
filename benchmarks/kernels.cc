// Runs the microbenchmarks of all kernels and prints one table.
//
//   kernels [--json] [Google Benchmark's options, --benchmark_filter=Conv2d, say]
//
// --json prints Google Benchmark's JSON instead, which compare.py reads.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"
#include "kernels/testing/machine_limits.h"

namespace synap_internal {
namespace {

// One line for each benchmark: time, rate, and the part of the machine's limit.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    absl::PrintF("one thread at best: %.0f GOP/s float32, %.0f GOP/s 8-bit", FloatPeak() / 1e9,
                 BytePeak() / 1e9);
    if (MatrixPeak() > 0) absl::PrintF(", %.0f in matrix registers", MatrixPeak() / 1e9);
    absl::PrintF("\n\n");
    absl::PrintF("%-52s %12s %14s %9s\n", "benchmark", "time", "rate", "of limit");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        absl::PrintF("%-52s %s\n", run.benchmark_name(), run.error_message);
        continue;
      }
      const auto counter = [&run](const char* name) {
        const auto it = run.counters.find(name);
        return it == run.counters.end() ? 0.0 : it->second.value;
      };
      const double operations = counter("OP/s"), bytes = counter("B/s");
      const std::string rate = operations > 0 ? absl::StrFormat("%.1f GOP/s", operations / 1e9)
                                              : absl::StrFormat("%.1f GB/s", bytes / 1e9);
      const std::string full = run.benchmark_name();
      const absl::string_view name =
          absl::StartsWith(full, "BM_") ? absl::string_view(full).substr(3) : full;
      absl::PrintF("%-52s %9.1f us %14s %8.0f%%\n", name,
                   run.GetAdjustedRealTime() * Microseconds(run.time_unit), rate,
                   counter("limit") * 100);
    }
  }

 private:
  static double Microseconds(benchmark::TimeUnit unit) {
    return 1e6 / benchmark::GetTimeUnitMultiplier(unit);
  }
};

int Main(int argc, char** argv) {
  std::vector<char*> args;
  bool json = false;
  for (int i = 0; i < argc; ++i) {
    if (absl::string_view(argv[i]) == "--json") {
      json = true;
    } else {
      args.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(args.size());
  benchmark::Initialize(&count, args.data());
  if (benchmark::ReportUnrecognizedArguments(count, args.data())) return 1;
  TableReporter table;
  benchmark::JSONReporter json_reporter;
  benchmark::BenchmarkReporter* reporter = &table;
  if (json) reporter = &json_reporter;
  benchmark::RunSpecifiedBenchmarks(reporter);
  return 0;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) { return synap_internal::Main(argc, argv); }
