#include "compiler/target/published_latency.h"

#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using Networks = std::map<std::string, std::vector<LayerWork>>;

absl::StatusOr<Networks> ReadLayers(absl::string_view text) {
  Networks networks;
  std::vector<LayerWork>* layers = nullptr;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (parts.first == "network") {
      layers = &networks[std::string(parts.second)];
      continue;
    }
    int count = 0;
    if (layers == nullptr || !absl::SimpleAtoi(parts.first, &count)) {
      return absl::InvalidArgumentError(absl::StrCat("'", line, "' has no count of layers"));
    }
    ASSIGN_OR_RETURN(const LayerWork work, ParseWork(parts.second));
    layers->insert(layers->end(), static_cast<size_t>(count), work);
  }
  return networks;
}

// Fields of a line, which may be in quotes.
std::vector<std::string> Fields(absl::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

absl::StatusOr<PublishedRow> ReadRow(absl::string_view line, const Networks& networks) {
  const std::vector<std::string> fields = Fields(line);
  double milliseconds = 0;
  if (fields.size() != 9 || !absl::SimpleAtod(fields[7], &milliseconds)) {
    return absl::InvalidArgumentError(absl::StrCat("'", line, "' isn't a row of 9 fields"));
  }
  PublishedRow row;
  row.half = fields[0] == "fit"     ? PublishedRow::Half::kFit
             : fields[0] == "judge" ? PublishedRow::Half::kJudge
                                    : PublishedRow::Half::kLeftOut;
  row.architecture = fields[2];
  row.suite = fields[3];
  row.model = fields[4];
  row.target = fields[6];
  row.seconds = milliseconds / 1e3;
  row.network = fields[8];
  const auto layers = networks.find(row.network);
  if (layers == networks.end()) {
    return absl::NotFoundError(absl::StrCat("network '", row.network, "' has no layers"));
  }
  // Layers of quantized graphs have their own types; the types of others are the row's.
  const absl::StatusOr<DataType> type = ParseDataType(fields[5]);
  for (const LayerWork& work : layers->second) {
    row.layers.push_back({work});
    LayerWork& own = row.layers.back().front();
    if (own.type == DataType::kFloat32 && type.ok()) own.type = *type;
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<PublishedRow>> ReadPublished(absl::string_view published_csv,
                                                        absl::string_view layers_text,
                                                        Engine engine) {
  ASSIGN_OR_RETURN(const Networks networks, ReadLayers(layers_text));
  std::vector<PublishedRow> rows;
  const std::vector<absl::string_view> lines =
      absl::StrSplit(published_csv, '\n', absl::SkipEmpty());
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].back() == '-') continue;  // no network
    ASSIGN_OR_RETURN(PublishedRow row, ReadRow(lines[i], networks));
    row.engine = engine;
    rows.push_back(std::move(row));
  }
  return rows;
}

double EstimatedSeconds(const PublishedRow& row, const Target& target,
                        const LatencyParameters& parameters) {
  double seconds = StartSeconds(row.engine, parameters);
  for (const std::vector<LayerWork>& layer : row.layers) {
    seconds += EstimateLayerOn(row.engine, layer, target, parameters).seconds;
  }
  return seconds;
}

}  // namespace synap_internal
