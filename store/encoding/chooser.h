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
// Fits all values of the type.
const ColumnEncoding& fallback_encoding(Type type);

// The dictionary of the values when encoding them so is smaller, or hardly larger, than otherwise.
// What was measured to tell, it or the values keep.
std::optional<Dictionary> choose_dictionary(DenseValues* values);
// The same question about a dictionary that is already there.
bool keep_dictionary(const Dictionary& dictionary);

}  // namespace evq
