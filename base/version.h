// The version of this project.
#ifndef BASE_VERSION_H_
#define BASE_VERSION_H_

namespace synap {

// What tools print and listing files begin with.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace synap

#endif  // BASE_VERSION_H_
