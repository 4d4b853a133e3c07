// Any bytes as labels of each form: an error, or labels whose boxes can be scored.

#include "compiler/convert/tune/parse_labels.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "compiler/convert/stages/accuracy.h"

namespace {

using synap_internal::FoundObject;
using synap_internal::LabelledObject;

void Score(const std::vector<LabelledObject>& objects) {
  std::vector<FoundObject> found;
  for (const LabelledObject& object : objects) found.push_back({object.class_index, 1, object.box});
  synap_internal::LabelledAnswers answers;
  answers.AddObjects(objects, found);
  const synap_internal::AccuracyFigures accuracy = answers.Score();
  CHECK(accuracy.first >= 0 && accuracy.first <= 1 + 1e-6);
  CHECK(accuracy.second >= 0 && accuracy.second <= 1 + 1e-6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> names = {"dog", "tabby cat"};
  const auto listed = synap_internal::ParseClassList(text, names);
  CHECK(listed.ok() || !listed.status().message().empty());
  const auto boxes = synap_internal::ParseYoloLabels(text);
  CHECK(boxes.ok() || !boxes.status().message().empty());
  if (boxes.ok()) Score(*boxes);
  const auto pictures = synap_internal::ParseCocoInstances(text, names);
  CHECK(pictures.ok() || !pictures.status().message().empty());
  if (!pictures.ok()) return 0;
  for (const synap_internal::NamedLabel& picture : pictures->labels) Score(picture.label.objects);
  return 0;
}
