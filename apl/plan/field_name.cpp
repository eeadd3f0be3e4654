#include "apl/plan/field_name.h"

#include "apl/plan/binder.h"
#include "apl/syntax/words.h"

namespace evq::plan {
namespace {

// True when `stored` is `name` once its escaped dots are plain.
bool equals_unescaped(std::string_view stored, std::string_view name) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] == '\\' && i + 1 < stored.size() && stored[i + 1] == '.') {
      continue;
    }
    if (at >= name.size() || name[at] != stored[i]) {
      return false;
    }
    ++at;
  }
  return at == name.size();
}

}  // namespace

std::optional<std::size_t> find_field(const Schema& schema, std::string_view name) {
  if (is_hidden(name)) {
    return std::nullopt;
  }
  if (const auto exact = schema.find(name); exact.has_value()) {
    return exact;
  }
  if (name.find('.') == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i].name.find('\\') != std::string::npos && equals_unescaped(schema[i].name, name)) {
      if (found.has_value()) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

std::vector<ast::NamePattern> as_stored(const Schema& schema,
                                        std::vector<ast::NamePattern> fields) {
  for (ast::NamePattern& field : fields) {
    if (field.is_wild() || schema.find(field.parts[0]).has_value()) {
      continue;
    }
    if (const auto at = find_field(schema, field.parts[0]); at.has_value()) {
      field.parts[0] = schema[*at].name;
    }
  }
  return fields;
}

Error unknown_listed_field(const Binder& binder, const Relation& input, const std::string& name,
                           Span span) {
  Error error = binder.unknown_field(&input, name, span);
  const std::string* map = input.map_of(name);
  if (map != nullptr && find_field(input.schema(), *map).has_value()) {
    const std::string key = name.substr(map->size() + 1);
    const std::string bag = syntax::quote_name(*map);
    error.hint = "a key of the map '" + *map + "' is no field: first extend " +
                 syntax::quote_name(key) + " = " + bag +
                 (syntax::is_plain_name(key) ? "." + key : syntax::bracket_name(key)) +
                 ", or to be without it extend " + bag + " = bag_remove_keys(" + bag +
                 ", dynamic(" + syntax::bracket_name(key) + "))";
  } else if (name.size() > 1 && name.find('*') + 1 == name.size()) {
    error.hint = "in quotes * is a part of the name: write " +
                 syntax::bracket_name(name.substr(0, name.size() - 1)) + "*";
  }
  return error;
}

}  // namespace evq::plan
