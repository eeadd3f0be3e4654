// The functions of bags: building them from keys and values, merging, and changing what a path
// leads to. Bags keep the order of insertion and hold each key once.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/dynamic_rows.h"
#include "apl/functions/json_path.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"

namespace evq {
namespace {

using Steps = std::span<const JsonPathStep>;

// Keys are texts; a null key drops its pair.
bool bag_pack(std::span<const DynamicView> args, DynamicBuilder* out) {
  out->begin_bag();
  std::string key;
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    if (args[i].is_null()) {
      continue;
    }
    key.clear();
    append_text_form(args[i], &key);
    out->key(key);
    out->add_encoded(args[i + 1]);
  }
  out->end_bag();
  return true;
}

BindResult bind_bag_pack(const BindRequest& request) {
  if (request.arguments.size() % 2 != 0) {
    return BindFailure{static_cast<int>(request.arguments.size()) - 1, "the last key has no value",
                       "give keys and values in turn"};
  }
  return bind_dynamic_rows<bag_pack>(request);
}

// After the first argument, which says whether to leave out what is null or empty, keys and values.
bool pack_all(std::span<const DynamicView> args, DynamicBuilder* out) {
  const bool skip_empty = !args.empty() && args[0].as_bool();
  out->begin_bag();
  for (std::size_t i = 1; i + 1 < args.size(); i += 2) {
    const DynamicView value = args[i + 1];
    if (skip_empty && (value.is_null() || (value.is_string() && value.as_string().empty()))) {
      continue;
    }
    out->key(args[i].as_string());
    out->add_encoded(value);
  }
  out->end_bag();
  return true;
}

MaybeDynamic bag_keys(DynamicView bag) {
  if (!bag.is_bag()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  DynamicView::Iterator each(bag);
  while (each.next()) {
    out.add_string(each.key());
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

// A key, or a path when it begins with "$.", "$[" and the bag has no such key.
bool bag_has_key(std::optional<DynamicView> bag, std::string_view key) {
  if (!bag.has_value()) {
    return false;
  }
  if (bag->find(key).has_value()) {
    return true;
  }
  if (!key.starts_with("$.") && !key.starts_with("$[")) {
    return false;
  }
  const JsonPath* path = JsonPath::of_row(key);
  return path != nullptr && !path->matches(*bag).empty();
}
constexpr Overload bag_has_key_form() {
  Overload form = lift<bag_has_key>();
  form.required_count = 2;
  return form;
}

// A key that is no text takes its value along.
MaybeDynamic bag_zip(DynamicView keys, DynamicView values) {
  if (!keys.is_array() || !values.is_array()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_bag();
  DynamicView::Iterator key(keys);
  DynamicView::Iterator value(values);
  while (key.next() && value.next()) {
    if (key.value().is_string()) {
      out.key(key.value().as_string());
      out.add_encoded(value.value());
    }
  }
  out.end_bag();
  return DynamicBytes{out.take()};
}

// Keys, looked up one after the other while they are few.
class KeySet {
 public:
  void add(std::string_view key) {
    keys_.push_back(key);
    if (table_.has_value()) {
      table_->insert(key);
    } else if (keys_.size() > kLinearKeysMax) {
      table_.emplace(keys_.begin(), keys_.end());
    }
  }
  bool has(std::string_view key) {
    poll_.add();
    return table_.has_value() ? table_->find(key) != table_->end()
                              : std::ranges::find(keys_, key) != keys_.end();
  }

 private:
  static constexpr std::size_t kLinearKeysMax = 16;

  std::vector<std::string_view> keys_;
  std::optional<std::unordered_set<std::string_view, SeededTextHash>> table_;
  PollCounter poll_;
};

// Of a key that several bags have, the first one's value stays. What is no bag is left out.
bool bag_merge(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!may_fit_together(args)) {
    return false;
  }
  out->begin_bag();
  KeySet earlier;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const DynamicView bag = args[i].is_bag() ? args[i] : DynamicView();
    DynamicView::Iterator each(bag);
    while (each.next()) {
      if (i == 0 || !earlier.has(each.key())) {
        out->key(each.key());
        out->add_encoded(each.value());
      }
    }
    DynamicView::Iterator key(bag);
    while (i + 1 < args.size() && key.next()) {
      earlier.add(key.key());
    }
  }
  out->end_bag();
  return true;
}

// ---- changes along paths

// A key alone, or a path when it begins with "$.", "$[".
std::vector<JsonPathStep> steps_of(std::string_view text) {
  if (text.starts_with("$.") || text.starts_with("$[")) {
    if (const JsonPath* path = JsonPath::of_row(text)) {
      return path->steps();
    }
  }
  JsonPathStep step;
  step.key = text;
  return {step};
}

bool step_matches(const JsonPathStep& step, const DynamicView::Iterator& each, bool bag,
                  std::int64_t index, std::int64_t size) {
  switch (step.kind) {
    case JsonPathStep::Kind::kKey:
      return bag && each.key() == step.key;
    case JsonPathStep::Kind::kIndex:
      return !bag && (step.index < 0 ? step.index + size : step.index) == index;
    case JsonPathStep::Kind::kAll:
      return true;
  }
  return false;
}

// Copies `value` without what any of the paths leads to. The depth of the walk is that of the
// paths, which their text's length bounds, and of the value.
void copy_without(DynamicView value, std::span<const Steps> paths, DynamicBuilder* out) {
  if ((!value.is_bag() && !value.is_array()) || paths.empty()) {
    out->add_encoded(value);
    return;
  }
  const bool bag = value.is_bag();
  bag ? out->begin_bag() : out->begin_array();
  const auto size = static_cast<std::int64_t>(value.size());
  PollCounter poll;
  DynamicView::Iterator each(value);
  for (std::int64_t index = 0; each.next(); ++index) {
    std::vector<Steps> further;
    bool removed = false;
    poll.add(paths.size());
    for (const Steps& path : paths) {
      if (!step_matches(path[0], each, bag, index, size)) {
        continue;
      }
      removed = removed || path.size() == 1;
      if (path.size() > 1) {
        further.push_back(path.subspan(1));
      }
    }
    if (removed) {
      continue;
    }
    if (bag) {
      out->key(each.key());
    }
    copy_without(each.value(), further, out);
  }
  bag ? out->end_bag() : out->end_array();
}

MaybeDynamic bag_remove_keys(DynamicView bag, DynamicView keys) {
  if (!bag.is_bag() || !keys.is_array()) {
    return std::nullopt;
  }
  KeySet removed;
  std::vector<std::vector<JsonPathStep>> owned;  // paths that are no key alone
  DynamicView::Iterator each(keys);
  while (each.next()) {
    if (!each.value().is_string()) {
      continue;
    }
    const std::string_view text = each.value().as_string();
    std::vector<JsonPathStep> steps = steps_of(text);
    if (steps.size() == 1 && steps[0].kind == JsonPathStep::Kind::kKey && steps[0].key == text) {
      removed.add(text);
    } else {
      owned.push_back(std::move(steps));
    }
  }
  DynamicBuilder kept;
  kept.begin_bag();
  DynamicView::Iterator entry(bag);
  while (entry.next()) {
    if (!removed.has(entry.key())) {
      kept.key(entry.key());
      kept.add_encoded(entry.value());
    }
  }
  kept.end_bag();
  if (owned.empty()) {
    return DynamicBytes{kept.take()};
  }
  const std::vector<Steps> paths(owned.begin(), owned.end());
  DynamicBuilder out;
  copy_without(DynamicView(kept.bytes()), paths, &out);
  return DynamicBytes{out.take()};
}

// Copies `value` with `replacement` at the end of a path of keys, making bags on the way.
void copy_with(DynamicView value, Steps path, DynamicView replacement, DynamicBuilder* out) {
  if (path.empty()) {
    out->add_encoded(replacement);
    return;
  }
  out->begin_bag();
  bool placed = false;
  DynamicView::Iterator each(value.is_bag() ? value : DynamicView());
  while (each.next()) {
    out->key(each.key());
    if (each.key() == path[0].key) {
      placed = true;
      copy_with(each.value(), path.subspan(1), replacement, out);
    } else {
      out->add_encoded(each.value());
    }
  }
  if (!placed) {
    out->key(path[0].key);
    copy_with(DynamicView(), path.subspan(1), replacement, out);
  }
  out->end_bag();
}

bool bag_set_key(std::span<const DynamicView> args, DynamicBuilder* out) {
  if (!args[0].is_bag() || !args[1].is_string()) {
    return false;
  }
  const std::vector<JsonPathStep> path = steps_of(args[1].as_string());
  if (path.size() > kDynamicDepthMax) {
    return false;
  }
  for (const JsonPathStep& step : path) {
    if (step.kind != JsonPathStep::Kind::kKey) {
      return false;
    }
  }
  copy_with(args[0], path, args[2], out);
  return true;
}

// ---- treepath

// The paths of values, each once, in the order in which a walk first meets them.
class PathList {
 public:
  // False when they are more than one value may hold.
  bool add(DynamicView value) {
    out_.begin_array();
    walk(value);
    out_.end_array();
    return out_.size() <= kStringValueBytesMax;
  }
  std::string take() { return out_.take(); }

 private:
  // The elements of an array share one path: what one of them has, all are taken to have.
  void walk(DynamicView value) {
    const std::size_t size = path_.size();
    bool named = false;  // the path of an array's elements
    DynamicView::Iterator each(value);
    while (each.next() && out_.size() <= kStringValueBytesMax) {
      path_.resize(size);
      if (value.is_array()) {
        path_ += "[0]";
      } else {
        path_.append("['").append(each.key()).append("']");
      }
      poll_.add(1 + path_.size() / kPollTextBytes);
      if (!named && added_.insert(path_).second) {
        out_.add_string(path_);
      }
      named = value.is_array();
      if (each.value().is_array() || each.value().is_bag()) {
        walk(each.value());
      }
    }
    path_.resize(size);
  }

  std::string path_;
  std::unordered_set<std::string, SeededTextHash> added_;
  DynamicBuilder out_;
  PollCounter poll_;
};

MaybeDynamic treepath(DynamicView value) {
  if (!value.is_bag() && !value.is_array()) {
    return std::nullopt;
  }
  PathList paths;
  return paths.add(value) ? MaybeDynamic(DynamicBytes{paths.take()}) : std::nullopt;
}

constexpr std::array<ScalarFunction, 11> kBagFunctions = {{
    {.name = "bag_has_key",
     .category = "bag",
     .summary = "Whether a bag has a key.",
     .params = {{{"bag", "A bag."}, {"key", "A key, or a path such as $.a.b."}}},
     .returns = "A bool, true for a key whose value is null; false when the argument is no bag.",
     .examples = {{{"print bag_has_key(dynamic({'a': {'b': null}}), '$.a.b')", "true"},
                   {"print bag_has_key(dynamic({'a': 1}), 'b')", "false"}}},
     .overloads = {bag_has_key_form()}},
    {.name = "bag_keys",
     .category = "bag",
     .summary = "The keys of a bag, those of its top level.",
     .params = {{{"bag", "A bag."}}},
     .returns = "An array; null when the argument is no bag.",
     .examples = {{{"print bag_keys(dynamic({'b': 1, 'a': {'c': 2}}))", "[\"b\",\"a\"]"}}},
     .overloads = {lift<bag_keys>()}},
    {.name = "bag_merge",
     .category = "bag",
     .summary = "Joins bags; of keys that several have, the first value stays.",
     .params = {{{"bags...", "Two or more bags; null and what is no bag are ignored."}}},
     .returns = "A bag.",
     .examples = {{{"print bag_merge(dynamic({'a': 1}), dynamic({'a': 2, 'b': 3}))",
                    "{\"a\":1,\"b\":3}"}}},
     .bind = bind_dynamic_rows<bag_merge>,
     .arguments_min = 1,
     .arguments_max = 64,
     .meant_aggregation = "make_bag(x)"},
    {.name = "bag_pack",
     .aliases = {"pack"},
     .category = "bag",
     .summary = "A bag of the given keys and values.",
     .params = {{{"key", "A text; other values become text."},
                 {"value", "Any value."},
                 {"more...", "Further keys and values; * alone stands for all fields."}}},
     .returns = "A bag; a key given twice keeps the last value.",
     .examples = {{{"print bag_pack('a', 1, 'b', 'x')", "{\"a\":1,\"b\":\"x\"}"}}},
     .bind = bind_bag_pack,
     .arguments_min = 0,
     .arguments_max = 255,
     .star = StarArgument::kNamesAndValues,
     .meant_aggregation = "make_bag(bag_pack('key', x)), or make_list(bag_pack('key', x))"},
    {.name = "bag_pack_columns",
     .category = "bag",
     .summary = "A bag of fields under their own names.",
     .params = {{{"fields...", "Fields."}}},
     .returns = "A bag.",
     .examples = {{{"print a = 1, b = 'x' | project d = bag_pack_columns(a, b)",
                    "{\"a\":1,\"b\":\"x\"}"}}},
     .bind = bind_bag_pack,
     .arguments_min = 1,
     .arguments_max = 255},
    {.name = "bag_remove_keys",
     .category = "bag",
     .summary = "A bag without some of its keys.",
     .params = {{{"bag", "A bag."}, {"keys", "An array of keys or paths such as $.a.b."}}},
     .returns = "A bag; null when the argument is no bag.",
     .examples = {{{"print bag_remove_keys(dynamic({'a': 1, 'b': {'c': 2, 'd': 3}}), dynamic(['a', "
                    "'$.b.c']))",
                    "{\"b\":{\"d\":3}}"}}},
     .overloads = {lift<bag_remove_keys>()}},
    {.name = "bag_set_key",
     .category = "bag",
     .summary = "A bag with a key set to a value.",
     .params = {{{"bag", "A bag."},
                 {"key", "A key, or a path such as $.a.b. Bags on the way are made."},
                 {"value", "The new value."}}},
     .returns = "A bag; null when the argument is no bag.",
     .examples = {{{"print bag_set_key(dynamic({'a': 1}), '$.b.c', 2)",
                    "{\"a\":1,\"b\":{\"c\":2}}"}}},
     .bind = bind_dynamic_rows<bag_set_key>,
     .arguments_min = 3,
     .arguments_max = 3},
    {.name = "bag_zip",
     .category = "bag",
     .summary = "A bag of an array of keys and an array of values.",
     .params = {{{"keys", "An array of texts; others are left out with their values."},
                 {"values", "An array."}}},
     .returns = "A bag, as long as the shorter array; null when an argument is no array.",
     .examples = {{{"print bag_zip(dynamic(['a', 'b', 'c']), dynamic([1, 2]))",
                    "{\"a\":1,\"b\":2}"}}},
     .overloads = {lift<bag_zip>()}},
    {.name = "pack_all",
     .category = "bag",
     .summary = "A bag of all fields of the row.",
     .params = {{{"[ignoreEmpty]", "true leaves out fields that are null or an empty text."}}},
     .returns = "A bag, keys in the order of the fields.",
     .examples = {{{"print a = 1, b = '' | project all = pack_all(true)", "{\"a\":1}"}}},
     .bind = bind_dynamic_rows<pack_all>,
     .arguments_min = 0,
     .arguments_max = 255,
     .meant_aggregation = "make_list(pack_all())"},
    {.name = "pack_dictionary",
     .category = "bag",
     .summary = "A bag of the given keys and values.",
     .params =
         {{{"key", "A text."}, {"value", "Any value."}, {"more...", "Further keys and values."}}},
     .returns = "A bag; a key given twice keeps the last value.",
     .examples = {{{"print pack_dictionary('a', 1, 'b', true)", "{\"a\":1,\"b\":true}"}}},
     .bind = bind_bag_pack,
     .arguments_min = 0,
     .arguments_max = 255},
    {.name = "treepath",
     .category = "bag",
     .summary = "All paths that a bag or array has values at.",
     .params = {{{"value", "A bag or array."}}},
     .returns = "An array of texts, elements of arrays told by the first; null for other values.",
     .examples = {{{"print treepath(dynamic({'a': {'b': 1}}))", "[\"['a']\",\"['a']['b']\"]"}}},
     .overloads = {lift<treepath>()}},
}};

}  // namespace

std::span<const ScalarFunction> bag_functions() {
  return kBagFunctions;
}

}  // namespace evq
