#include "store/ingest/json_index.h"

#include <simdjson.h>

#include "store/base/limits.h"

// The first stage of simdjson's parser, used alone: the second stage would write every value to a
// tape from which it would have to be read again.

namespace evq {

struct JsonIndex::State {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

JsonIndex::JsonIndex() : state_(std::make_unique<State>()) {}
JsonIndex::~JsonIndex() = default;
JsonIndex::JsonIndex(JsonIndex&&) noexcept = default;
JsonIndex& JsonIndex::operator=(JsonIndex&&) noexcept = default;

bool JsonIndex::build(const char* text, std::size_t size) {
  if (size == 0) {
    return false;
  }
  auto& parser = state_->parser;
  if (parser == nullptr) {
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        size, kJsonDepthMax, parser);
    if (error != simdjson::SUCCESS) {
      return false;  // it has no memory; the tolerant parser needs no index
    }
  }
  if (parser->capacity() < size && parser->allocate(size, kJsonDepthMax) != simdjson::SUCCESS) {
    return false;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  return parser->stage1(bytes, size, simdjson::stage1_mode::regular) == simdjson::SUCCESS;
}

const std::uint32_t* JsonIndex::positions() const {
  return state_->parser->structural_indexes.get();
}

std::size_t JsonIndex::count() const {
  return state_->parser->n_structural_indexes;
}

}  // namespace evq
