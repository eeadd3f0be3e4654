// links: evq_store
// bytes: 512
// Cursors are taken only as they were given out, and a dataset's definition in the catalogue reads
// back as what was read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/definition_coding.h"
#include "store/row_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto row = evq::decode_cursor(text);
  if (row.ok() && evq::encode_cursor(row.value()) != text) {
    __builtin_trap();
  }
  evq::DatasetDefinition definition;
  if (evq::decode_definition(text, &definition)) {
    const std::string coded = evq::encode_definition(definition);
    evq::DatasetDefinition again;
    if (!evq::decode_definition(coded, &again) || evq::encode_definition(again) != coded) {
      __builtin_trap();
    }
  }
  return 0;
}
