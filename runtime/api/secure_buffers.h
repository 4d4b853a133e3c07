// Policies of a secure model's tensors: which buffers are in secure memory.
#ifndef RUNTIME_API_SECURE_BUFFERS_H_
#define RUNTIME_API_SECURE_BUFFERS_H_

#include "synap/tensors.hpp"

namespace synaptics::synap {

// Before each run: moves own buffers of outputs to secure memory if an input is there and their
// policy asks for it, and checks the others. False, with an error logged, if a buffer isn't where
// its tensor's policy wants it; of models that aren't secure, if one is in secure memory.
bool FollowPolicies(Tensors& in, Tensors& out);

}  // namespace synaptics::synap

#endif  // RUNTIME_API_SECURE_BUFFERS_H_
