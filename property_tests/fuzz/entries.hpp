#pragma once
/// \file What is fed with arbitrary bytes. Each entry returns for every input; what is wrong with
/// an input is an assay::error, and anything else (a signal, another exception, a hang) is a fault
/// of ours.
#include <string_view>

namespace assay::fuzzing {

/// Reads, verifies and asks for the signature of what may be an SDFG, as JSON or gzip. True: it was
/// one.
bool read_sdfg(std::string_view bytes);

/// The first byte chooses the grammar (symbolic, symbolic of older files, one Python expression,
/// Python code), the rest is text. What is parsed is simplified, printed, parsed again and
/// evaluated. True: it was text of the grammar.
bool parse_text(std::string_view bytes);

} // namespace assay::fuzzing
