#pragma once
// Chooses a scheme for the non-null values of a column: measures a sample, estimates what each
// scheme that fits would need, and takes the smallest, with a bias to what decodes fast and to
// dictionaries, which queries like best. Deterministic: the same values give the same choice.

#include <optional>

#include "store/encoding/dictionary.h"
#include "store/encoding/encoding.h"

namespace evq {

// The scheme for values without repetitions worth a dictionary. It may turn out not to fit; then
// fallback_encoding of the type does. Without options.analyse, constant or the fallback.
const ColumnEncoding& choose_encoding(const DenseValues& values, const EncodeOptions& options);
// The scheme that fits all values of the type.
const ColumnEncoding& fallback_encoding(Type type);

// The dictionary of the values when encoding them so is smaller, or hardly larger, than otherwise.
// The scheme measured for it is kept as `chosen` of its entries, or of `values` without one.
std::optional<Dictionary> choose_dictionary(DenseValues* values);
// Whether a dictionary that exists already is worth keeping.
bool keep_dictionary(const Dictionary& dictionary);

}  // namespace evq
