#pragma once
/// \file The passes of lowering that follow the structure, in this order. Each rewrites the plan in place and
/// leaves it printable.
#include "assay/plan.hpp"

namespace assay::plan {

/// For the layout reuse on one stream: puts launches and copies that do not depend on each other into an order in
/// which fewer bytes of arrays are live together, where there is one. Elsewhere nothing moves.
void shorten_lives(program&);

/// Inserts allocate, release and fill_zero steps. A transient is allocated outside of loops, unless its size
/// needs a symbol that the loop assigns, and inside a conditional arm if only that arm uses it.
void place_memory(program&);

/// Gives every launch, copy, fill and pool call a stream, and joins streams by events where one operation needs
/// another's result. With the caller's stream there is one stream and nothing to join.
void assign_streams(program&);

/// Inserts the waits of the host: before each read of a value that the device may still be writing, before each
/// write or release of host memory that the device may still be using, at timers, and at the end of a
/// synchronous call. None else.
void insert_waits(program&);

/// Fills `workspaces` from the external buffers.
void lay_out_workspaces(program&);

} // namespace assay::plan
