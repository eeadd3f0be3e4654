#pragma once
// Tables in what is read as lines of plain text, for notes that say how to load them as tables. By
// an input's beginning, which may be cut anywhere. Pure; nothing here fails.

#include <cstddef>
#include <string_view>

namespace evq {

// Names, and values below them, each a word with one blank before it, as in a flow log of AWS. Half
// of the values have digits, which the words of a sentence seldom have.
bool is_table_of_words(std::string_view text);

// How many lines stand above what seems to be CSV, as comments and titles do; 0: nothing does.
std::size_t lines_above_csv(std::string_view head);

}  // namespace evq
