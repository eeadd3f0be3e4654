#pragma once
// JsonIndex: where the structure of a JSON text is: the positions of all brackets, braces, colons,
// commas, opening quotes and first bytes of other values, found with vector instructions. The text
// may hold any number of documents. It also says whether the text is valid UTF-8 with whole strings
// and without raw control characters in them; if not there are no positions.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace evq {

class JsonIndex {
 public:
  // Readable bytes that must follow an indexed text.
  static constexpr std::size_t kPaddingBytes = 64;

  JsonIndex();
  ~JsonIndex();
  JsonIndex(JsonIndex&&) noexcept;
  JsonIndex& operator=(JsonIndex&&) noexcept;

  // Indexes a text of at most 4 GiB; false when it cannot. Memory grows with the largest text.
  bool build(const char* text, std::size_t size);

  // The positions, ascending; two more entries follow, both the text's size.
  const std::uint32_t* positions() const;
  std::size_t count() const;

  // Memory held, estimated.
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evq
