// Checksums of changed archives, for tests: without them no reader gets to what was changed.
#ifndef COMPILER_IMPORT_PT2_ZIP_CHECKSUMS_H_
#define COMPILER_IMPORT_PT2_ZIP_CHECKSUMS_H_

#include <string>

namespace synap_internal::pt2_import {

// A ZIP archive whose directory has the checksums of its entries as they are. Any bytes are
// allowed; what isn't an entry inside of them stays.
std::string WithChecksums(std::string bytes);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_ZIP_CHECKSUMS_H_
