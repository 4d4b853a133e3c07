// Folder of the files that the processes of a user share.
#ifndef RUNTIME_API_RUNTIME_FOLDER_H_
#define RUNTIME_API_RUNTIME_FOLDER_H_

#include <string>

#include "absl/status/status.h"

namespace synap_internal {

// $XDG_RUNTIME_DIR/synap; "" if the variable isn't set to an absolute path.
std::string XdgRuntimeFolder();

// XdgRuntimeFolder(), or /tmp/synap-<uid> without it.
std::string RuntimeFolder();

// Creates `folder` for this user only, or takes the permissions of other users from the one that is
// there. Errors name it: it can't be created, or isn't a folder of this user.
absl::Status MakeRuntimeFolder(const std::string& folder);

// Descriptor of `folder`, which the caller closes; -1 unless it is a folder, no link, of this user
// that others can neither read nor change: they could put files there, or lock it. Allocates
// nothing.
int OpenRuntimeFolder(const std::string& folder);

}  // namespace synap_internal

#endif  // RUNTIME_API_RUNTIME_FOLDER_H_
