// Labels of a dataset's samples, from files or folders.
#ifndef COMPILER_CONVERT_TUNE_LABELS_H_
#define COMPILER_CONVERT_TUNE_LABELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/convert/stages/accuracy.h"
#include "compiler/dataset/dataset.h"

namespace synap_internal {

// The labels of all samples. `path` is
// - a folder of a folder for each class, as ImageNet has it: the folders' names are class names, or
//   numbers, or else their order is the classes' number;
// - a folder with a .txt for each sample, of the same name but for the suffix (ParseYoloLabels);
//   classes.txt is none;
// - a .json file (ParseCocoInstances);
// - or any other file (ParseClassList).
// `names`: the class names of the network, empty if they aren't known. A sample is named by its
// path, by the last folder and its name, by its name, or by that without the suffix. Files and
// lists may have labels of other samples too, a folder of .txt files may not.
//
// InvalidArgument naming the file: samples without a label, or with several; .txt files without a
// sample; text of another form.
absl::StatusOr<Labels> ReadSampleLabels(const std::string& path,
                                        const std::vector<DatasetSample>& samples,
                                        const std::vector<std::string>& names);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_LABELS_H_
