// Plans which groups of layers get 16 bits, by a model of the noise and the time.
#ifndef COMPILER_QUANTIZE_SEARCH_PRECISION_PLAN_H_
#define COMPILER_QUANTIZE_SEARCH_PRECISION_PLAN_H_

#include <cstddef>
#include <vector>

#include "compiler/quantize/search/noise_sources.h"

namespace synap_internal {

// A tensor that one group of layers gives to others: a conversion if one of them has another type.
struct Crossing {
  std::vector<size_t> groups;  // that of the producer first
  double seconds = 0;          // of the conversion
};

// Noises of independent roundings add up, and so do times.
struct PrecisionModel {
  std::vector<double> seconds;  // by group: additional ones in 16 bits, below 0 if they are less
  std::vector<Crossing> crossings;
  std::vector<NoiseSource> sources;
};

// Whether each group has 16 bits.
using WideGroups = std::vector<bool>;

// Seconds beyond those of 8 bits everywhere.
double ExtraSeconds(const PrecisionModel& model, const WideGroups& wide);

// The worst output's noise. Others count too where they are nearly as bad: the 8th root of the sum
// of 8th powers.
double PlannedNoise(const PrecisionModel& model, const WideGroups& wide);

// From no group in 16 bits to all that remove noise: one step after the other, each of which adds a
// group, or some that are connected, with the most noise removed for each second.
std::vector<WideGroups> WideningSteps(const PrecisionModel& model);

// Little noise within `seconds`: from 8 bits upward, or from 16 bits everywhere downward, improved
// by exchanges. Deterministic.
WideGroups PlanUp(const PrecisionModel& model, double seconds);
WideGroups PlanDown(const PrecisionModel& model, double seconds);

// Few seconds with at most `noise`: narrowed from 16 bits everywhere.
WideGroups PlanForNoise(const PrecisionModel& model, double noise);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_PRECISION_PLAN_H_
