// Fits the prices of the latency model to the half `fit` of a table, and prints them as the section
// `latency` of target files, with the errors of both halves.
//
//   fit published.csv layers.txt [--judge]
//   fit published_cpu.csv layers.txt --cpu [--judge]      likewise --gpu
//
// Damped Gauss-Newton over the logarithms of the prices. Those of the NPU are common to the chips
// but for two; CPU and GPU have their own on each chip.
// Residuals are the logarithms of estimate by measurement, each square bent to an absolute value
// beyond 0.15 (soft L1), and a weak pull to the start. Without --judge, the half that judges isn't
// looked at; instead, each architecture is estimated by prices that are fitted without it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/target/published_latency.h"
#include "eigen3/Eigen/Dense"

namespace synap_internal {
namespace {

constexpr double kBend = 0.15;
constexpr double kPull = 0.03;

// Where a price has no evidence, it stays near to these.
const LatencyParameters kStart = {.memory_part = 0.2,
                                  .kept_kilobytes = 300,
                                  .batch_traffic = 0.5,
                                  .window_1 = 6,
                                  .window_9 = 2,
                                  .depthwise = 4,
                                  .stream_ns = 0.2,
                                  .scatter_ns = 3,
                                  .function_ns = 0.8,
                                  .product_ns = 1.6,
                                  .interpolation_ns = 7,
                                  .layer_us = 10,
                                  .network_us = 100,
                                  .slow_gigamacs = 3,
                                  .cpu_gigamacs_8 = 30,
                                  .cpu_gigamacs_float16 = 30,
                                  .cpu_gigamacs_float32 = 30,
                                  .cpu_element_ns_8 = 1,
                                  .cpu_element_ns_float = 1,
                                  .cpu_network_us = 50,
                                  .gpu_gigamacs = 30,
                                  .gpu_element_ns = 1,
                                  .gpu_network_us = 2000};

// A variable of the fit: a price, of all chips or of one.
struct Variable {
  double LatencyParameters::*price;
  std::string name;
  std::string target;  // "": all
};

// Of the engine that a price belongs to.
Engine EngineOf(absl::string_view price) {
  for (const Engine engine : {Engine::kCpu, Engine::kGpu}) {
    if (absl::StartsWith(price, absl::StrCat(RowOf(engine).word, "_"))) return engine;
  }
  return Engine::kNn;
}

std::vector<Variable> Variables(Engine engine) {
  std::vector<Variable> variables;
  for (const LatencyParameterRow& row : LatencyParameterRows()) {
    const std::string name(row.name);
    // The interval isn't a price; the shortest published inferences (0.12 ms on the NPU, 0.04 ms on
    // the CPU, 2.2 ms on the GPU) are nothing but the fixed time.
    if (EngineOf(name) != engine || absl::EndsWith(name, "interval") ||
        absl::EndsWith(name, "network_us")) {
      continue;
    }
    if (engine != Engine::kNn || name == "kept_kilobytes" || name == "window_1") {
      for (const char* target : {"VS640", "VS680"}) variables.push_back({row.value, name, target});
    } else {
      variables.push_back({row.value, name, ""});
    }
  }
  return variables;
}

using Rows = std::vector<PublishedRow>;

// VS640 and VS680 stand for the targets with the same NPU.
std::string ChipOf(const std::string& target) {
  return target.find("680") != std::string::npos ? "VS680" : "VS640";
}

class Fit {
 public:
  explicit Fit(const Rows& rows) : variables_(Variables(rows.at(0).engine)) {
    std::map<std::pair<std::string, std::string>, int> copies;
    for (const PublishedRow& row : rows) ++copies[{row.network, ChipOf(row.target)}];
    for (const PublishedRow& row : rows) {
      rows_.push_back(&row);
      weights_.push_back(1 / std::sqrt(copies[{row.network, ChipOf(row.target)}]));
    }
    start_ = Eigen::VectorXd(static_cast<Eigen::Index>(variables_.size()));
    for (size_t i = 0; i < variables_.size(); ++i) {
      start_(static_cast<Eigen::Index>(i)) = std::log(kStart.*variables_[i].price);
    }
    Solve();
  }

  LatencyParameters Prices(const std::string& chip) const { return Prices(x_, chip); }

 private:
  LatencyParameters Prices(const Eigen::VectorXd& x, const std::string& chip) const {
    LatencyParameters prices = kStart;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const Variable& variable = variables_[i];
      if (!variable.target.empty() && variable.target != chip) continue;
      prices.*variable.price = std::exp(x(static_cast<Eigen::Index>(i)));
    }
    return prices;
  }

  // Of the rows, then the pulls to the start.
  Eigen::VectorXd Residuals(const Eigen::VectorXd& x) const {
    const auto count = static_cast<Eigen::Index>(rows_.size());
    Eigen::VectorXd residuals(count + x.size());
    const std::map<std::string, LatencyParameters> prices = {{"VS640", Prices(x, "VS640")},
                                                             {"VS680", Prices(x, "VS680")}};
    for (Eigen::Index i = 0; i < count; ++i) {
      const PublishedRow& row = *rows_[static_cast<size_t>(i)];
      const std::string chip = ChipOf(row.target);
      const double seconds = EstimatedSeconds(row, **FindTarget(chip), prices.at(chip));
      residuals(i) = weights_[static_cast<size_t>(i)] * std::log(seconds / row.seconds);
    }
    residuals.tail(x.size()) = kPull * (x - start_);
    return residuals;
  }

  static double Loss(const Eigen::VectorXd& residuals) {
    const auto squares = (residuals / kBend).array().square();
    return (2 * ((1 + squares).sqrt() - 1)).sum();
  }

  void Solve() {
    x_ = start_;
    double damping = 1e-2;
    Eigen::VectorXd residuals = Residuals(x_);
    for (int iteration = 0; iteration < 200 && damping < 1e6; ++iteration) {
      Eigen::MatrixXd jacobian(residuals.size(), x_.size());
      for (Eigen::Index i = 0; i < x_.size(); ++i) {
        Eigen::VectorXd moved = x_;
        moved(i) += 1e-4;
        jacobian.col(i) = (Residuals(moved) - residuals) / 1e-4;
      }
      // Soft L1 by weights of the squares.
      const Eigen::VectorXd weights = (1 + (residuals / kBend).array().square()).sqrt().inverse();
      Eigen::MatrixXd normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
      const Eigen::VectorXd gradient = jacobian.transpose() * weights.asDiagonal() * residuals;
      normal.diagonal() *= 1 + damping;
      const Eigen::VectorXd next = x_ - normal.ldlt().solve(gradient);
      const Eigen::VectorXd tried = Residuals(next);
      if (Loss(tried) < Loss(residuals)) {
        const bool settled = (next - x_).cwiseAbs().maxCoeff() < 1e-5;
        x_ = next;
        residuals = tried;
        damping /= 3;
        if (settled) break;
      } else {
        damping *= 4;
      }
    }
  }

  std::vector<Variable> variables_;
  std::vector<const PublishedRow*> rows_;
  std::vector<double> weights_;
  Eigen::VectorXd start_, x_;
};

void PrintPrices(const Fit& fit, Engine engine) {
  for (const char* chip : {"VS640", "VS680"}) {
    const LatencyParameters prices = fit.Prices(chip);
    std::printf("%s\nlatency:\n", chip);
    for (const LatencyParameterRow& row : LatencyParameterRows()) {
      if (EngineOf(row.name) != engine) continue;
      std::printf("  %s: %.4g\n", std::string(row.name).c_str(), prices.*row.value);
    }
  }
}

struct Errors {
  std::map<std::string, std::vector<double>> by_chip;

  void Add(const PublishedRow& row, const LatencyParameters& prices) {
    const double estimate = EstimatedSeconds(row, **FindTarget(ChipOf(row.target)), prices);
    std::printf("  %-62s %-7s %9.2f %9.2f %+4.0f %%\n", row.model.c_str(), row.target.c_str(),
                1e3 * row.seconds, 1e3 * estimate, 100 * (estimate / row.seconds - 1));
    by_chip[ChipOf(row.target)].push_back(estimate / row.seconds);
  }
  void Print() const {
    for (const auto& [chip, ratios] : by_chip) {
      double sum = 0, worst = 0;
      std::vector<double> factors;
      for (const double ratio : ratios) {
        sum += std::abs(ratio - 1);
        worst = std::max(worst, std::abs(ratio - 1));
        factors.push_back(std::max(ratio, 1 / ratio));
      }
      std::sort(factors.begin(), factors.end());
      std::printf("  %s: mean error %.1f %%, largest %.0f %%, 90 %% within a factor of %.2f\n",
                  chip.c_str(), 100 * sum / static_cast<double>(ratios.size()), 100 * worst,
                  factors[static_cast<size_t>(0.9 * static_cast<double>(factors.size() - 1))]);
    }
  }
};

void LeaveOneOut(const Rows& rows) {
  std::set<std::string> architectures;
  for (const PublishedRow& row : rows) architectures.insert(row.architecture);
  Errors errors;
  for (const std::string& left_out : architectures) {
    Rows others;
    for (const PublishedRow& row : rows) {
      if (row.architecture != left_out) others.push_back(row);
    }
    const Fit fit(others);
    for (const PublishedRow& row : rows) {
      if (row.architecture == left_out) errors.Add(row, fit.Prices(ChipOf(row.target)));
    }
  }
  errors.Print();
}

absl::Status Run(const std::string& published, const std::string& layers, Engine engine,
                 bool judge) {
  ASSIGN_OR_RETURN(const std::string csv, ReadFile(published));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(layers));
  ASSIGN_OR_RETURN(const Rows all, ReadPublished(csv, text, engine));
  Rows fitting, judging;
  for (const PublishedRow& row : all) {
    if (row.half == PublishedRow::Half::kFit) fitting.push_back(row);
    if (row.half == PublishedRow::Half::kJudge) judging.push_back(row);
  }
  const Fit fit(fitting);
  PrintPrices(fit, engine);
  std::printf("fit\n");
  Errors errors;
  for (const PublishedRow& row : fitting) errors.Add(row, fit.Prices(ChipOf(row.target)));
  errors.Print();
  if (!judge) {
    std::printf("each architecture by a fit without it\n");
    LeaveOneOut(fitting);
    return absl::OkStatus();
  }
  std::printf("judge\n");
  Errors judged;
  for (const PublishedRow& row : judging) judged.Add(row, fit.Prices(ChipOf(row.target)));
  judged.Print();
  return absl::OkStatus();
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fit published.csv layers.txt [--cpu|--gpu] [--judge]\n");
    return 1;
  }
  const std::set<std::string> options(argv + 3, argv + argc);
  const auto engine = options.count("--cpu") > 0   ? synap_internal::Engine::kCpu
                      : options.count("--gpu") > 0 ? synap_internal::Engine::kGpu
                                                   : synap_internal::Engine::kNn;
  const absl::Status status =
      synap_internal::Run(argv[1], argv[2], engine, options.count("--judge") > 0);
  if (status.ok()) return 0;
  std::fprintf(stderr, "Error: %s\n", std::string(status.message()).c_str());
  return 1;
}
