#include "compiler/convert/stages/accuracy.h"

#include <algorithm>
#include <utility>

#include "runtime/vision/detector/average_precision.h"

namespace synap_internal {
namespace {

constexpr int kOverlaps = 10;
constexpr size_t kMostFound = 100;  // of a class in a picture

double LeastOverlap(int overlap) { return 0.5 + 0.05 * overlap; }

double AreaOf(const LabelledBox& box) {
  return (double{box.x1} - box.x0) * (double{box.y1} - box.y0);
}

// Intersection over union, over the found box's own area for a crowd.
double OverlapWith(const LabelledObject& object, const LabelledBox& found) {
  const LabelledBox& box = object.box;
  const double width = double{std::min(box.x1, found.x1)} - std::max(box.x0, found.x0);
  const double height = double{std::min(box.y1, found.y1)} - std::max(box.y0, found.y0);
  if (!(width > 0 && height > 0)) return 0;
  const double both = width * height;
  const double whole = object.is_crowd ? AreaOf(found) : AreaOf(box) + AreaOf(found) - both;
  return whole > 0 ? both / whole : 0;
}

// The object that a box finds, -1 if there is none: the one that it overlaps most of those that no
// box before found; a crowd, which any number of boxes find, only without such an object.
int ObjectFound(absl::Span<const LabelledObject> truth, const LabelledBox& found, double least,
                const std::vector<bool>& taken) {
  for (const bool crowds : {false, true}) {
    int best = -1;
    double most = least;
    for (size_t i = 0; i < truth.size(); ++i) {
      if (truth[i].is_crowd != crowds || taken[i]) continue;
      const double overlap = OverlapWith(truth[i], found);
      if (overlap < most) continue;
      most = overlap;
      best = static_cast<int>(i);
    }
    if (best >= 0) return best;
  }
  return -1;
}

}  // namespace

const std::string& Labels::KeyOf(const DatasetSample& sample) {
  const auto given = std::find_if(sample.files.begin(), sample.files.end(),
                                  [](const std::string& file) { return !file.empty(); });
  return given == sample.files.end() ? sample.name : *given;
}

AccuracyNames NamesOfAccuracy(bool of_boxes) {
  return of_boxes ? AccuracyNames{"mAP@0.5", "mAP@0.5:0.95"} : AccuracyNames{"top-1", "top-5"};
}

void LabelledAnswers::AddClasses(int label, absl::Span<const int> best) {
  ++samples_;
  const auto* const found = std::find(best.begin(), best.end(), label);
  if (found == best.end()) return;
  ++five_;
  if (found == best.begin()) ++first_;
}

void LabelledAnswers::AddObjects(absl::Span<const LabelledObject> truth,
                                 std::vector<FoundObject> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundObject& a, const FoundObject& b) { return a.score > b.score; });
  struct ClassInPicture {
    std::vector<LabelledObject> truth;
    std::vector<FoundObject> found;
  };
  std::map<int, ClassInPicture> classes;
  for (const LabelledObject& object : truth) classes[object.class_index].truth.push_back(object);
  for (const FoundObject& object : found) {
    std::vector<FoundObject>& best = classes[object.class_index].found;
    if (best.size() < kMostFound) best.push_back(object);
  }
  for (const auto& [index, in_picture] : classes) {
    AddObjectsOfClass(in_picture.truth, in_picture.found, classes_[index]);
  }
}

void LabelledAnswers::AddObjectsOfClass(absl::Span<const LabelledObject> truth,
                                        absl::Span<const FoundObject> found, OfClass& answers) {
  const size_t first = answers.hits.size();
  for (const FoundObject& object : found) answers.hits.push_back({object.score, 0, 0});
  for (const LabelledObject& object : truth) answers.objects += object.is_crowd ? 0 : 1;
  for (int overlap = 0; overlap < kOverlaps; ++overlap) {
    const auto bit = static_cast<uint16_t>(1 << overlap);
    std::vector<bool> taken(truth.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const int at = ObjectFound(truth, found[i].box, LeastOverlap(overlap), taken);
      if (at < 0) continue;
      Hit& hit = answers.hits[first + i];
      const auto object = static_cast<size_t>(at);
      uint16_t& bits = truth[object].is_crowd ? hit.ignored : hit.right;
      bits = static_cast<uint16_t>(bits | bit);
      taken[object] = !truth[object].is_crowd;
    }
  }
}

void LabelledAnswers::Add(const LabelledAnswers& other) {
  samples_ += other.samples_;
  first_ += other.first_;
  five_ += other.five_;
  for (const auto& [index, theirs] : other.classes_) {
    OfClass& ours = classes_[index];
    ours.objects += theirs.objects;
    ours.hits.insert(ours.hits.end(), theirs.hits.begin(), theirs.hits.end());
  }
}

double LabelledAnswers::PrecisionAt(const OfClass& answers, int overlap) {
  const int bit = 1 << overlap;
  Ranking ranking;
  for (const Hit& hit : answers.hits) {
    if ((hit.ignored & bit) == 0) ranking.emplace_back(hit.score, (hit.right & bit) != 0);
  }
  return AveragePrecision(std::move(ranking), answers.objects);
}

AccuracyFigures LabelledAnswers::Score() const {
  if (samples_ > 0) {
    const auto all = static_cast<double>(samples_);
    return {static_cast<double>(first_) / all, static_cast<double>(five_) / all};
  }
  AccuracyFigures accuracy;
  int labelled = 0;
  for (const auto& [index, answers] : classes_) {
    if (answers.objects == 0) continue;
    ++labelled;
    for (int overlap = 0; overlap < kOverlaps; ++overlap) {
      const double precision = PrecisionAt(answers, overlap);
      if (overlap == 0) accuracy.first += precision;
      accuracy.second += precision / kOverlaps;
    }
  }
  if (labelled == 0) return accuracy;
  return {accuracy.first / labelled, accuracy.second / labelled};
}

}  // namespace synap_internal
