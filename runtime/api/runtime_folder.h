// Folder of the files that the processes of a user share.
#ifndef RUNTIME_API_RUNTIME_FOLDER_H_
#define RUNTIME_API_RUNTIME_FOLDER_H_

#include <string>

namespace synap_internal {

// $XDG_RUNTIME_DIR/synap; "" if the variable isn't set to an absolute path.
std::string XdgRuntimeFolder();

// XdgRuntimeFolder(), or /tmp/synap-<uid> without it.
std::string RuntimeFolder();

// Creates it, for this user only. False, with an error logged, if that isn't possible, or if it
// belongs to another user.
bool MakeRuntimeFolder();

}  // namespace synap_internal

#endif  // RUNTIME_API_RUNTIME_FOLDER_H_
