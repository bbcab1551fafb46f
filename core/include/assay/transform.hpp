#pragma once
/// \file An SDFG file with the settings written into it, for DaCe to load, validate and compile.
#include <string>
#include <string_view>

#include "assay/settings.hpp"

namespace assay::sdfg {

/// The file's text with the memory mode, the caller's stream and the kind of call in it. Everything
/// else keeps its value and its order. Code that is put in uses the names that DaCe's headers give
/// to both vendors (gpuStream_t, gpuStreamSynchronize), and vendor names of such code are replaced
/// by them.
///  - mode: the lifetime and pool attributes of transients, by the rule of GT4Py; with persistent
///    and external, arrays that DaCe cannot place outside of a call keep their lifetime.
///  - the caller's stream (own_streams 0, a GPU target): the symbol gt_external_gpu_stream, and
///    code for init that puts all streams on it.
///  - a synchronous call: a state behind the last ones that waits for the program's streams.
/// \param json_or_gzip  of a file that read_text() and verify() accept; their errors otherwise.
[[nodiscard]] std::string transformed(std::string_view json_or_gzip, settings const&);

} // namespace assay::sdfg
