// The epilogue of the linear ops: a function, a table or a sum after their clamp.
#ifndef COMPILER_GRAPH_PASSES_EPILOGUE_H_
#define COMPILER_GRAPH_PASSES_EPILOGUE_H_

#include "compiler/graph/graph.h"

namespace synap_internal {

// Nothing comes after the op's sums and their clamp yet: no function, no table, no sum.
bool IsEpilogueEmpty(const Op& op);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_EPILOGUE_H_
