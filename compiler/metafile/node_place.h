// Place of a warning about an input, output or layer that the metafile describes.
#ifndef COMPILER_METAFILE_NODE_PLACE_H_
#define COMPILER_METAFILE_NODE_PLACE_H_

#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// `location`: in the metafile; `kind` and `name`: as those of AtNode.
inline WarningPlace PlaceOfNode(const Metafile& metafile, SourceLocation location,
                                absl::string_view kind, absl::string_view name) {
  WarningPlace place = metafile.PlaceOf(location);
  place.node = AtNode(kind, name).node;
  return place;
}

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_NODE_PLACE_H_
