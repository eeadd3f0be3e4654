#include "apl/functions/json_path.h"

#include <span>

#include "store/base/number.h"

namespace evq {
namespace {

class PathReader {
 public:
  explicit PathReader(std::string_view text) : rest_(text) {}

  bool read(std::vector<JsonPathStep>* steps) {
    take('$');
    bool first = true;
    while (!rest_.empty()) {
      JsonPathStep step;
      const bool good = take('[')            ? read_bracket(&step)
                        : take('.') || first ? read_name(&step)
                                             : false;
      if (!good) {
        return false;
      }
      first = false;
      steps->push_back(std::move(step));
    }
    return true;
  }

 private:
  bool take(char wanted) {
    if (rest_.empty() || rest_[0] != wanted) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool read_name(JsonPathStep* step) {
    const std::size_t end = std::min(rest_.find_first_of(".["), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (name == "*") {
      step->kind = JsonPathStep::Kind::kAll;
    } else {
      step->key = name;
    }
    return !name.empty();
  }

  bool read_bracket(JsonPathStep* step) {
    if (!rest_.empty() && (rest_[0] == '\'' || rest_[0] == '"')) {
      const std::size_t end = rest_.find(rest_[0], 1);
      if (end == std::string_view::npos) {
        return false;
      }
      step->key = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
      return take(']');
    }
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) {
      return false;
    }
    const std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (inside == "*") {
      step->kind = JsonPathStep::Kind::kAll;
      return true;
    }
    const std::optional<std::int64_t> index = parse_int(inside);
    step->kind = JsonPathStep::Kind::kIndex;
    step->index = index.value_or(0);
    return index.has_value();
  }

  std::string_view rest_;
};

bool index_exists(DynamicView array, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(array.size());
  return array.is_array() && index < size && index >= -size;
}

void follow(DynamicView value, const JsonPathStep& step, std::vector<DynamicView>* out) {
  switch (step.kind) {
    case JsonPathStep::Kind::kKey:
      if (const std::optional<DynamicView> found = value.find(step.key)) {
        out->push_back(*found);
      }
      return;
    case JsonPathStep::Kind::kIndex:
      if (index_exists(value, step.index)) {
        out->push_back(value.at(step.index));
      }
      return;
    case JsonPathStep::Kind::kAll: {
      DynamicView::Iterator each(value);
      while (each.next()) {
        out->push_back(each.value());
      }
      return;
    }
  }
}

}  // namespace

std::optional<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  return PathReader(text).read(&path.steps_) ? std::optional(std::move(path)) : std::nullopt;
}

const JsonPath* JsonPath::of_row(std::string_view text) {
  thread_local std::string last;
  thread_local std::optional<JsonPath> path = parse(last);
  if (text != last) {
    path = parse(text);
    last = text;
  }
  return path.has_value() ? &*path : nullptr;
}

std::vector<DynamicView> JsonPath::matches(DynamicView root, std::size_t followed) const {
  std::vector<DynamicView> found = {root};
  std::vector<DynamicView> next;
  for (const JsonPathStep& step : std::span(steps_).subspan(followed)) {
    next.clear();
    for (const DynamicView& value : found) {
      follow(value, step, &next);
    }
    found.swap(next);
  }
  return found;
}

}  // namespace evq
