#include "apl/plan/external_mapping.h"

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"

namespace evq::plan {
namespace {

constexpr std::string_view kOption = "ingestionMapping";

// The text of a member whose key is `name` in any case; nothing when it is not there.
std::optional<std::string> member(DynamicView bag, std::string_view name) {
  DynamicView::Iterator entries(bag);
  while (entries.next()) {
    if (ascii_lower(entries.key()) == name && !entries.value().is_null()) {
      return value_from_dynamic(entries.value()).to_text();
    }
  }
  return std::nullopt;
}

DynamicView properties_of(DynamicView element) {
  DynamicView::Iterator entries(element);
  while (entries.next()) {
    if (ascii_lower(entries.key()) == "properties" && entries.value().is_bag()) {
      return entries.value();
    }
  }
  return element;
}

Result<ExternalPlace> place_of(DynamicView properties, Span span) {
  if (const auto transform = member(properties, "transform");
      transform.has_value() && ascii_lower(*transform) != "none") {
    return diag::unsupported_feature(span, "the transformation '" + *transform + "' of a mapping",
                                     "convert the column behind it, with | extend");
  }
  ExternalPlace place;
  if (const auto constant = member(properties, "constvalue")) {
    place.constant = *constant;
  } else if (const auto path = member(properties, "path")) {
    place.constant = *path;
    if (path->starts_with('$')) {
      place.path = JsonPath::parse(*path);
      if (!place.path.has_value() ||
          std::ranges::find(place.path->steps(), JsonPathStep::Kind::kAll, &JsonPathStep::kind) !=
              place.path->steps().end()) {
        return diag::invalid_constant(
            span, kOption, "have paths to one value, such as $.a.b; '" + *path + "' is none");
      }
    }
  } else if (const auto ordinal = member(properties, "ordinal")) {
    const auto number = parse_int(*ordinal);
    if (!number.has_value() || *number < 0 ||
        *number >= static_cast<std::int64_t>(kDatasetFieldsMax)) {
      return diag::invalid_constant(
          span, kOption,
          "have ordinals from 0 to " + std::to_string(kDatasetFieldsMax - 1) + ", in figures");
    }
    place.ordinal = static_cast<std::size_t>(*number);
  } else {
    return diag::invalid_constant(span, kOption,
                                  "have a Path, an Ordinal or a ConstValue for each column");
  }
  return place;
}

}  // namespace

Result<std::vector<std::optional<ExternalPlace>>> read_external_mapping(
    std::string_view text, const std::vector<std::string>& columns, Span span) {
  const std::optional<std::string> bytes = dynamic_from_json(text);
  const DynamicView elements = bytes.has_value() ? DynamicView(*bytes) : DynamicView();
  if (!elements.is_array()) {
    return diag::invalid_constant(
        span, kOption,
        "be a JSON text: '[{\"Column\": \"a\", \"Properties\": {\"Path\": \"$.b\"}}]'");
  }
  std::vector<std::optional<ExternalPlace>> places(columns.size());
  DynamicView::Iterator element(elements);
  while (element.next()) {
    const auto name = element.value().is_bag() ? member(element.value(), "column") : std::nullopt;
    if (!name.has_value()) {
      return diag::invalid_constant(span, kOption, "have a Column in each of its objects");
    }
    const auto at = std::ranges::find(columns, *name);
    if (at == columns.end()) {
      return diag::invalid_constant(span, kOption,
                                    "name columns of externaldata; '" + *name + "' is none");
    }
    EVQ_TRY_ASSIGN(places[static_cast<std::size_t>(at - columns.begin())],
                   place_of(properties_of(element.value()), span));
  }
  return places;
}

}  // namespace evq::plan
