#include "store/ingest/json_index.h"

#include <simdjson.h>

#include "store/base/limits.h"

// The first stage of simdjson's parser, used alone: the second stage would write every value to a
// tape from which it would have to be read again.

namespace evq {

namespace {

// Texts of about one size, as windows are, share their memory.
constexpr std::size_t kRoomStep = 64 * kKibibyte;

}  // namespace

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
  if (parser == nullptr || parser->capacity() < size) {
    const std::size_t room = (size / kRoomStep + 1) * kRoomStep;
    const auto error =
        parser == nullptr ? simdjson::get_active_implementation()->create_dom_parser_implementation(
                                room, kJsonDepthMax, parser)
                          : parser->allocate(room, kJsonDepthMax);
    if (error != simdjson::SUCCESS) {
      return false;  // it has no memory; the tolerant parser needs no index
    }
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

std::size_t JsonIndex::memory_bytes() const {
  return state_->parser == nullptr ? 0 : state_->parser->capacity() * sizeof(std::uint32_t);
}

}  // namespace evq
