#include "compiler/quantize/ranges/range_selection.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/thread_pool.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/kl_divergence.h"
#include "compiler/quantize/ranges/quantization_error.h"

namespace synap_internal {
namespace {

constexpr double kDefaultWeight = 0.01;

class RangeChooser {
 public:
  RangeChooser(const Statistics& statistics, const QuantizationOptions& options,
               const Precision& precision)
      : statistics_(statistics), options_(options), precision_(precision) {
    for (size_t i = 0; i < statistics.tensors().size(); ++i) {
      observed_.push_back(statistics.TotalRange(i));
    }
  }

  ValueRange Choose(QuantizationAlgorithm algorithm, size_t tensor) const {
    switch (algorithm) {
      case QuantizationAlgorithm::kStandard:
        return observed_[tensor];
      case QuantizationAlgorithm::kMovingAverage:
        return MovingAverage(tensor);
      case QuantizationAlgorithm::kKlDivergence:
        return LeastDivergence(statistics_.histograms()[tensor], observed_[tensor],
                               precision_.bits(), MostBins());
      case QuantizationAlgorithm::kMse:
        return LeastError(tensor);
      case QuantizationAlgorithm::kAuto:
        return Best(tensor);
    }
    CHECK(false);
  }

 private:
  ValueRange MovingAverage(size_t tensor) const {
    const double weight = options_.moving_average_weight.value_or(kDefaultWeight);
    double min = 0;
    double max = 0;
    double weights = 0;
    for (const auto& [sample, ranges] : statistics_.samples()) {
      min = min * (1 - weight) + static_cast<double>(ranges[tensor].min) * weight;
      max = max * (1 - weight) + static_cast<double>(ranges[tensor].max) * weight;
      weights = weights * (1 - weight) + weight;
    }
    // A mean of numbers may be rounded past all of them.
    const ValueRange total = observed_[tensor];
    return {std::clamp(static_cast<float>(min / weights), total.min, total.max),
            std::clamp(static_cast<float>(max / weights), total.min, total.max)};
  }

  int MostBins() const {
    const int64_t bins = options_.divergence_nbins.value_or(Histogram::kMaxBins);
    const int64_t bits = options_.divergence_first_quantize_bits.value_or(11);
    return static_cast<int>(std::min({bins, int64_t{1} << bits, int64_t{Histogram::kMaxBins}}));
  }

  double Error(size_t tensor, const ValueRange& range) const {
    return MeanSquaredError(statistics_.histograms()[tensor], observed_[tensor],
                            ParamsFor(range, precision_), precision_.type);
  }

  // Coarsely first, then around the best: the error is smooth in the threshold, or the same from
  // one power of two to the next.
  ValueRange LeastError(size_t tensor) const {
    const ValueRange observed = observed_[tensor];
    const double farthest = std::max(std::abs(observed.min), std::abs(observed.max));
    // Of values that are all far from zero, some must stay.
    const double nearest =
        std::max({static_cast<double>(observed.min), -static_cast<double>(observed.max), 0.0});
    ValueRange best = observed;
    double least = Error(tensor, observed);
    double best_part = 1;
    const auto consider = [&](double part) {
      if (farthest * part <= nearest) return;
      const ValueRange range = Cut(observed, farthest * part);
      const double error = Error(tensor, range);
      if (error >= least) return;
      least = error;
      best = range;
      best_part = part;
    };
    constexpr int kCoarse = 64;
    for (int i = kCoarse - 1; i > 0; --i) consider(static_cast<double>(i) / kCoarse);
    const double center = best_part;
    constexpr int kFine = 512;
    for (int i = kFine / kCoarse - 1; i > -kFine / kCoarse; --i) {
      consider(center + static_cast<double>(i) / kFine);
    }
    return best;
  }

  ValueRange Best(size_t tensor) const {
    ValueRange best = Choose(QuantizationAlgorithm::kStandard, tensor);
    double least = Error(tensor, best);
    for (const auto algorithm :
         {QuantizationAlgorithm::kMovingAverage, QuantizationAlgorithm::kKlDivergence}) {
      const ValueRange range = Choose(algorithm, tensor);
      const double error = Error(tensor, range);
      if (error >= least) continue;
      least = error;
      best = range;
    }
    return best;
  }

  const Statistics& statistics_;
  std::vector<ValueRange> observed_;  // over all samples, by tensor
  const QuantizationOptions& options_;
  const Precision precision_;
};

}  // namespace

std::map<std::string, ValueRange> ChooseRanges(const Statistics& statistics,
                                               QuantizationAlgorithm algorithm,
                                               const QuantizationOptions& options,
                                               const Precision& precision, int threads) {
  CHECK(!statistics.samples().empty());
  const RangeChooser chooser(statistics, options, precision);
  const std::vector<std::string>& tensors = statistics.tensors();
  std::vector<ValueRange> chosen(tensors.size());
  ThreadPool(threads).ParallelFor(static_cast<int64_t>(tensors.size()), [&](int64_t i, int) {
    const auto tensor = static_cast<size_t>(i);
    chosen[tensor] = chooser.Choose(algorithm, tensor);
  });
  std::map<std::string, ValueRange> ranges;
  for (size_t i = 0; i < tensors.size(); ++i) ranges[tensors[i]] = chosen[i];
  return ranges;
}

}  // namespace synap_internal
