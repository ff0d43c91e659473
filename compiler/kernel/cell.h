// The text of a notebook cell: the inputs in it, and positions that Jupyter counts in code points.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::kernel {

/// The inputs of a cell in order: commands, expressions, and runs of definitions, which may use each other.
/// Each has as many line ends before it as it has in the cell, so that lines in messages are those of the
/// cell.
std::vector<std::string> inputs_of(std::string_view cell);
/// Whether the last input needs no further lines.
bool is_complete(std::string_view cell);

std::size_t code_points(std::string_view text);
/// The byte at which that code point begins; the end if there are fewer.
std::size_t byte_of(std::string_view text, int code_point);
/// The name, or hierarchical name, around a byte; empty if there is none.
std::string name_at(std::string_view text, std::size_t byte);

}  // namespace sigrel::kernel
