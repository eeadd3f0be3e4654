#pragma once
// PictureWish: what a query asks for with `render`, read off its text, for answers that come
// without it, as a server's do. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evq {

struct PictureWish {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> properties;
};

// Returns the wish of a query that ends in render; nullopt for others, and for what does not parse.
std::optional<PictureWish> find_picture_wish(std::string_view apl);

}  // namespace evq
