#include "compiler/quantize/search/precision_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace synap_internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More that change together seldom pay.
constexpr size_t kMostConnected = 8;
// Sums of the model are exact to about this part.
constexpr double kRounding = 1e-9;

// What PrecisionModel says, by group.
class Network {
 public:
  explicit Network(const PrecisionModel& model)
      : model_(model), sources_(groups()), crossings_(groups()), neighbours_(groups()) {
    for (size_t i = 0; i < model.sources.size(); ++i) Index(model.sources[i].groups, i, sources_);
    for (size_t i = 0; i < model.crossings.size(); ++i) {
      Index(model.crossings[i].groups, i, crossings_);
    }
  }

  size_t groups() const { return model_.seconds.size(); }
  size_t outputs() const { return model_.sources.empty() ? 0 : model_.sources[0].shares.size(); }
  const PrecisionModel& model() const { return model_; }
  const std::vector<size_t>& SourcesOf(size_t group) const { return sources_[group]; }
  const std::vector<size_t>& CrossingsOf(size_t group) const { return crossings_[group]; }
  const std::set<size_t>& NeighboursOf(size_t group) const { return neighbours_[group]; }

 private:
  void Index(const std::vector<size_t>& members, size_t index,
             std::vector<std::vector<size_t>>& by_group) {
    for (const size_t group : members) {
      by_group[group].push_back(index);
      neighbours_[group].insert(members.begin(), members.end());
    }
  }

  const PrecisionModel& model_;
  std::vector<std::vector<size_t>> sources_, crossings_;
  std::vector<std::set<size_t>> neighbours_;
};

// Types of all groups, with their noise and time.
class Plan {
 public:
  Plan(const Network& network, const WideGroups& wide)
      : network_(&network), wide_(network.groups()), noise_(network.outputs()) {
    for (const NoiseSource& source : network.model().sources) Add(source, 1);
    for (size_t i = 0; i < wide.size(); ++i) {
      if (wide[i]) Flip(i);
    }
  }

  const WideGroups& wide() const { return wide_; }
  double seconds() const { return seconds_; }

  double noise() const {
    double sum = 0;
    for (const double share : noise_) {
      const double square = share * share;
      sum += square * square * square * square;
    }
    return std::sqrt(std::sqrt(std::sqrt(sum)));
  }

  // Gives the group the other type.
  void Flip(size_t group) {
    const PrecisionModel& model = network_->model();
    Count(group, -1);
    wide_[group] = !wide_[group];
    Count(group, 1);
    seconds_ += wide_[group] ? model.seconds[group] : -model.seconds[group];
  }

 private:
  void Count(size_t group, int sign) {
    const PrecisionModel& model = network_->model();
    for (const size_t i : network_->SourcesOf(group)) {
      if (CountWide(model.sources[i].groups) < model.sources[i].groups.size()) {
        Add(model.sources[i], sign);
      }
    }
    for (const size_t i : network_->CrossingsOf(group)) {
      const size_t count = CountWide(model.crossings[i].groups);
      const bool converts = count > 0 && count < model.crossings[i].groups.size();
      if (converts) seconds_ += sign * model.crossings[i].seconds;
    }
  }

  size_t CountWide(const std::vector<size_t>& groups) const {
    return static_cast<size_t>(
        std::count_if(groups.begin(), groups.end(), [&](size_t group) { return wide_[group]; }));
  }

  void Add(const NoiseSource& source, int sign) {
    for (size_t o = 0; o < noise_.size(); ++o) noise_[o] += sign * source.shares[o];
  }

  const Network* network_;
  WideGroups wide_;
  std::vector<double> noise_;
  double seconds_ = 0;
};

struct Limits {
  double seconds = kInfinity;
  double noise = kInfinity;
  std::optional<size_t> barred = std::nullopt;  // a group that isn't to change
};

// The plan that changes a connected set of groups to or from 16 bits with the best ratio: noise
// removed for each second, or seconds saved for the noise. Nullopt if none is better than `plan`
// and within the limits.
std::optional<Plan> BestChange(const Network& network, const Plan& plan, bool widen,
                               const Limits& limits = {}) {
  const double noise = plan.noise(), seconds = plan.seconds();
  const auto ratio = [&](const Plan& next) {
    const double less_noise = noise - next.noise(), more_seconds = next.seconds() - seconds;
    const double gain = widen ? less_noise : -more_seconds;
    const double price = widen ? more_seconds : -less_noise;
    if (gain <= kRounding * (widen ? noise : 1e-6)) return -kInfinity;
    return price <= 0 ? kInfinity : gain / price;
  };
  const auto fits = [&](const Plan& next) {
    return next.seconds() <= limits.seconds && next.noise() <= limits.noise;
  };
  std::optional<Plan> best;
  std::tuple<double, double, size_t>
      best_key;  // larger ratios, less noise among infinite ones, fewer groups
  const auto consider = [&](const Plan& next, size_t size) {
    const double found = ratio(next);
    const std::tuple key(-found, found == kInfinity ? next.noise() : 0, size);
    if (found == -kInfinity || !fits(next) || (best.has_value() && key >= best_key)) return;
    best_key = key;
    best = next;
  };
  for (size_t group = 0; group < network.groups(); ++group) {
    if (plan.wide()[group] == widen || group == limits.barred) continue;
    Plan next = plan;
    next.Flip(group);
    consider(next, 1);
    std::set<size_t> border = network.NeighboursOf(group);
    for (size_t size = 1; size < kMostConnected; ++size) {
      std::optional<size_t> added;
      double added_ratio = -kInfinity;
      for (const size_t neighbour : border) {
        if (next.wide()[neighbour] == widen || neighbour == limits.barred) continue;
        next.Flip(neighbour);
        const double found = ratio(next);
        if (!added.has_value() || found > added_ratio) {
          added = neighbour;
          added_ratio = found;
        }
        next.Flip(neighbour);
      }
      if (!added.has_value()) break;
      next.Flip(*added);
      consider(next, size + 1);
      border.insert(network.NeighboursOf(*added).begin(), network.NeighboursOf(*added).end());
    }
  }
  return best;
}

Plan ChangedWhilePossible(const Network& network, Plan plan, bool widen, const Limits& limits) {
  while (true) {
    std::optional<Plan> next = BestChange(network, plan, widen, limits);
    if (!next.has_value()) return plan;
    plan = *std::move(next);
  }
}

// Narrows until the time fits.
Plan NarrowedTo(const Network& network, double seconds) {
  Plan plan(network, WideGroups(network.groups(), true));
  while (plan.seconds() > seconds) {
    std::optional<Plan> next = BestChange(network, plan, /*widen=*/false);
    if (!next.has_value()) break;
    plan = *std::move(next);
  }
  return plan;
}

// Exchanges one group of 16 bits after the other for what its time buys elsewhere.
Plan Exchanged(const Network& network, Plan plan, double seconds) {
  bool improves = true;
  for (int round = 0; improves && round < 3; ++round) {
    improves = false;
    for (size_t group = 0; group < network.groups(); ++group) {
      if (!plan.wide()[group]) continue;
      Plan without = plan;
      without.Flip(group);
      without = ChangedWhilePossible(network, without, /*widen=*/true, {seconds, kInfinity, group});
      if (without.seconds() > seconds || without.noise() >= plan.noise() * (1 - kRounding))
        continue;
      plan = without;
      improves = true;
    }
  }
  return plan;
}

Plan Finished(const Network& network, Plan plan, double seconds) {
  plan = ChangedWhilePossible(network, std::move(plan), /*widen=*/true, {seconds});
  return Exchanged(network, std::move(plan), seconds);
}

}  // namespace

double ExtraSeconds(const PrecisionModel& model, const WideGroups& wide) {
  return Plan(Network(model), wide).seconds();
}

double PlannedNoise(const PrecisionModel& model, const WideGroups& wide) {
  return Plan(Network(model), wide).noise();
}

std::vector<WideGroups> WideningSteps(const PrecisionModel& model) {
  const Network network(model);
  Plan plan(network, WideGroups(network.groups()));
  std::vector<WideGroups> steps;
  while (true) {
    const auto next = BestChange(network, plan, /*widen=*/true);
    if (!next.has_value()) return steps;
    plan = *next;
    steps.push_back(plan.wide());
  }
}

WideGroups PlanUp(const PrecisionModel& model, double seconds) {
  const Network network(model);
  return Finished(network, Plan(network, WideGroups(network.groups())), seconds).wide();
}

WideGroups PlanDown(const PrecisionModel& model, double seconds) {
  const Network network(model);
  return Finished(network, NarrowedTo(network, seconds), seconds).wide();
}

WideGroups PlanForNoise(const PrecisionModel& model, double noise) {
  const Network network(model);
  const Plan all(network, WideGroups(network.groups(), true));
  const Limits limits{kInfinity, noise * (1 + kRounding)};
  return ChangedWhilePossible(network, all, /*widen=*/false, limits).wide();
}

}  // namespace synap_internal
