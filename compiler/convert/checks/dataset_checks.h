// Warnings about legal but suspicious datasets.
#ifndef COMPILER_CONVERT_CHECKS_DATASET_CHECKS_H_
#define COMPILER_CONVERT_CHECKS_DATASET_CHECKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/warnings.h"
#include "compiler/dataset/dataset.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Collects figures of the pictures that a network's inputs get. Not thread-safe.
class DatasetChecks {
 public:
  // `inputs`: names of the network's inputs. `metafile` must outlive this.
  DatasetChecks(const Metafile& metafile, std::vector<std::string> inputs);

  // A sample of input `input`: where its picture lies and the range of what came out of it,
  // normalized.
  void Add(size_t input, const PictureFit& fit, const ValueRange& values);

  // Each says what to do, notes excepted. About inputs that got pictures:
  //   - on average, bands cover 40 % of the input or more, or it is stretched to twice its
  //     proportions or more;
  //   - `means` between 0 and 1 beside a `scale` above 1: pixels are 0 to 255;
  //   - values beyond +-300, or all within 0.05: means or scale are probably wrong;
  //   - all of them are gray, and the input has colour; some have CMYK colours, for printing;
  //     some have transparent parts, and the input no alpha;
  //   - notes: some are gray, and the input has colour; some have colour, and the input has none;
  //     some are opaque, and the input has an alpha;
  //   - `means` that grow from the first channel to the third for RGB, or fall for BGR: in
  //     photographs, red is brightest on average and blue darkest.
  std::vector<Warning> Warnings() const;

 private:
  // Pictures of one kind.
  struct Kind {
    size_t count = 0;
    std::string first;  // path

    void Add(const std::string& file) {
      if (++count == 1) first = file;
    }
  };
  struct Seen {
    size_t pictures = 0;
    double covered = 0, stretch = 0;  // sums
    ValueRange values;
    Kind gray;    // in an input with colour
    Kind colour;  // in an input of one channel
    Kind opaque;  // without alpha, in an input with one
    Kind cmyk;
    Kind transparent;  // in an input without alpha
  };

  Warning MakeWarning(size_t input, std::string sentence) const;
  void WarnOfColours(size_t input, std::vector<Warning>& warnings) const;
  void NoteConversions(size_t input, std::vector<Warning>& warnings) const;
  void WarnOfMeans(size_t input, std::vector<Warning>& warnings) const;

  const Metafile& metafile_;
  const std::vector<std::string> inputs_;
  std::vector<Seen> seen_;
};

// Whether there are several samples and all tensors have the same range in each: with real samples,
// only equal ones do. Of the merged statistics of all shards.
bool AllSamplesEqual(const Statistics& statistics);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CHECKS_DATASET_CHECKS_H_
