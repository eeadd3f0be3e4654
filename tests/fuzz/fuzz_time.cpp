// links: evq_base
// bytes: 128
// Readers of time accept any bytes; what the canonical writer writes reads back as the same
// instant.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/base/go_layout.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto ns = evq::parse_event_time(text)) {
    if (evq::parse_event_time(evq::instant_text(*ns)) != ns) {
      __builtin_trap();
    }
  }
  if (const auto ns = evq::parse_instant(text)) {
    if (evq::parse_event_time(text) != ns) {
      __builtin_trap();
    }
  }
  // The first line is a layout, the rest a text for it.
  const std::size_t line = text.find('\n');
  if (line != std::string_view::npos) {
    const auto layout = evq::GoLayout::compile(text.substr(0, line));
    if (layout.ok()) {
      (void)layout.value().parse(text.substr(line + 1), 0);
      (void)layout.value().format(0);
    }
  }
  return 0;
}
