#pragma once
/// \file Barriers between what one thread of a block writes and another reads or writes.
#include "assay/plan.hpp"

namespace assay::plan {

/// Puts barriers into the body of a kernel whose iterations are blocks (kernel::by_block), outside
/// the maps over their threads: wherever memory that all threads see is used after another thread
/// may have written it, or written after another may have read it. Loops of a block end with one
/// where their iterations meet so.
void insert_barriers(compute_block& body);

} // namespace assay::plan
