#pragma once
// The coding of datasets.definition in catalog.db: what a dataset has besides its name and file, as
// strings, numbers and a list (store/base/bytes.h). New members are appended: a row may end before
// any member after use_retention, which then keeps its default, and may go on after the last one
// that this version knows: what follows is kept and written again. Pure functions.

#include <string>
#include <string_view>

#include "store/definitions.h"

namespace evq {

std::string encode_definition(const DatasetDefinition& definition);
// Takes any bytes; false when they are not a definition.
bool decode_definition(std::string_view bytes, DatasetDefinition* definition);

}  // namespace evq
