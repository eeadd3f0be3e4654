#pragma once
// The forms in which verbs print what they list: a table for people, JSON for programs. Nothing is
// kept; any thread may call. Tables fail when an object is not JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/result.h"

namespace evq {

enum class ListForm : std::uint8_t {
  kTable,
  kJson,    // one array
  kNdjson,  // one object a line
};

// Lists the values that -o takes.
std::vector<std::string> list_form_names();
// Returns the form that -o names; without one a table on a terminal, else ndjson.
ListForm list_form(const std::string& output);
// Returns the form for a single object: as list_form(), but JSON without an array around it.
ListForm single_form(const std::string& output);
// Writes compact JSON objects in a form for programs, which kTable is not.
std::string items_text(const std::vector<std::string>& items, ListForm form);
// Makes one row a token, from its JSON object: id, name, kind where it is told, expiry, last use.
Result<std::string> tokens_table(const std::vector<std::string>& items);

}  // namespace evq
