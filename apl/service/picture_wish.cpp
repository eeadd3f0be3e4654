#include "apl/service/picture_wish.h"

#include "apl/syntax/parser.h"

namespace evq {

std::optional<PictureWish> find_picture_wish(std::string_view apl) {
  const auto query = syntax::parse(apl, 0);
  if (!query.ok() || query->pipelines.size() != 1 || query->pipelines[0]->operators.empty()) {
    return std::nullopt;
  }
  const auto* render = std::get_if<ast::Render>(&query->pipelines[0]->operators.back().node);
  if (render == nullptr) {
    return std::nullopt;
  }
  PictureWish wish{render->chart.text, {}};
  for (const ast::Option& option : render->options) {
    if (const auto* literal = std::get_if<ast::Literal>(&option.value->node)) {
      wish.properties.emplace_back(option.name.text, literal->value.to_text());
    }
  }
  return wish;
}

}  // namespace evq
