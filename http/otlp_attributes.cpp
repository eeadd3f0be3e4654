#include "http/otlp_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/column/typed_json.h"

namespace evq {
namespace {

// Shapes kept, and how many names one may have: programs log a few dozen kinds of records.
constexpr std::size_t kShapesMax = 32;
constexpr std::size_t kShapeNamesMax = 256;
constexpr std::size_t kShapeNameBytesMax = 16 * kKibibyte;

// The first parts of the names that OpenTelemetry's semantic conventions define, in order.
constexpr std::array<std::string_view, 68> kConventionNamespaces = {
    "android",      "artifact",    "aspnetcore",   "aws",         "az",
    "azure",        "browser",     "cassandra",    "cicd",        "client",
    "cloud",        "cloudevents", "cloudfoundry", "code",        "container",
    "cpu",          "cpython",     "db",           "deployment",  "destination",
    "device",       "disk",        "dns",          "dotnet",      "elasticsearch",
    "enduser",      "error",       "event",        "exception",   "faas",
    "feature_flag", "file",        "gcp",          "gen_ai",      "geo",
    "go",           "graphql",     "heroku",       "host",        "http",
    "hw",           "ios",         "jvm",          "k8s",         "linux",
    "log",          "mcp",         "message",      "messaging",   "net",
    "network",      "nodejs",      "oci",          "opentracing", "os",
    "otel",         "peer",        "process",      "profile",     "rpc",
    "server",       "service",     "session",      "source",      "thread",
    "tls",          "url",         "user_agent"};

// The members that a value may be; others come of versions that evq does not know.
constexpr std::array<std::string_view, 7> kValueKinds = {"stringValue", "intValue",    "boolValue",
                                                         "doubleValue", "kvlistValue", "arrayValue",
                                                         "bytesValue"};

bool is_convention(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos &&
         std::ranges::binary_search(kConventionNamespaces, name.substr(0, dot));
}

// The members of a {key, value}. An empty key is left out by those who write messages.
struct Pair {
  explicit Pair(DynamicView pair) {
    for (DynamicView::Iterator each(pair); each.next();) {
      if (each.key() == "key" && each.value().is_string()) {
        name = each.value().as_string();
      } else if (each.key() == "value") {
        value = each.value();
      }
    }
  }
  std::string_view name;
  DynamicView value;
};

DynamicView values_of(DynamicView list) {
  return list.find("values").value_or(DynamicView());
}

void write_pairs(JsonWriter* json, DynamicView pairs) {
  json->begin_object();
  for (DynamicView::Iterator each(pairs); each.next();) {
    const Pair pair(each.value());
    json->key(pair.name);
    write_otlp_value(json, pair.value);
  }
  json->end_object();
}

// A name among others: its parts, unless it stays whole.
struct NamePath {
  std::string_view text;
  bool splits;
  std::size_t pair;

  // The part that begins at `from`.
  std::string_view part(std::size_t from) const {
    const std::size_t dot = splits ? text.find('.', from) : std::string_view::npos;
    return text.substr(from, dot == std::string_view::npos ? dot : dot - from);
  }
  // Whether `longer` has all parts of this name and more.
  bool is_above(const NamePath& longer) const {
    return longer.splits && longer.text.size() > text.size() && longer.text.starts_with(text) &&
           longer.text[text.size()] == '.' && (splits || text.find('.') == std::string_view::npos);
  }
};

// In order of parts: what ends a part comes before what continues it.
bool comes_before(const NamePath& a, const NamePath& b) {
  const auto rank = [](const NamePath& path, std::size_t i) {
    const auto byte = static_cast<unsigned char>(path.text[i]);
    return path.splits && byte == '.' ? 0 : byte + 1;
  };
  const std::size_t common = std::min(a.text.size(), b.text.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (rank(a, i) != rank(b, i)) {
      return rank(a, i) < rank(b, i);
    }
  }
  return a.text.size() < b.text.size();
}

bool is_same(const NamePath& a, const NamePath& b) {
  return !comes_before(a, b) && !comes_before(b, a);
}

// The member that the value of the first name has among those of the names below it, which come
// next; a word that is none of theirs. Empty when there are none.
std::string value_key(std::span<const NamePath> paths) {
  const NamePath& name = paths.front();
  const auto end = std::find_if_not(paths.begin() + 1, paths.end(),
                                    [&](const NamePath& each) { return name.is_above(each); });
  const std::span<const NamePath> below(paths.begin() + 1, end);
  if (below.empty()) {
    return {};
  }
  std::string key = "_value";
  while (std::ranges::any_of(
      below, [&](const NamePath& each) { return each.part(name.text.size() + 1) == key; })) {
    key.insert(0, "_");
  }
  return key;
}

}  // namespace

std::optional<std::int64_t> otlp_integer(DynamicView value) {
  if (value.tag() == DynamicTag::kLong) {
    return value.as_integer();
  }
  if (value.tag() == DynamicTag::kReal) {  // 1e9 and 5.0 are integers of the JSON form
    constexpr double kEnd = 9223372036854775808.0;
    const double real = value.as_real();
    const bool whole = real >= -kEnd && real < kEnd && real == std::trunc(real);
    return whole ? std::optional(static_cast<std::int64_t>(real)) : std::nullopt;
  }
  if (!value.is_string()) {
    return std::nullopt;
  }
  const std::string_view text = value.as_string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::optional<std::int64_t>(number)
             : std::nullopt;
}

namespace {

// The real of a doubleValue, which the JSON form may write as text and must where it has no number
// for it. Nothing for other texts and what is none.
std::optional<double> otlp_real(DynamicView value) {
  if (value.is_number()) {
    return value.as_real();
  }
  if (!value.is_string()) {
    return std::nullopt;
  }
  const std::string_view text = value.as_string();
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::optional<double> number = parse_real(text);
  return number.has_value() && std::isfinite(*number) ? number : std::nullopt;
}

// A number of either kind as one of this kind; false for what is none.
bool write_number(JsonWriter* json, std::string_view kind, DynamicView value) {
  if (kind == "intValue") {
    const std::optional<std::int64_t> number = otlp_integer(value);
    if (number.has_value()) {
      json->integer(*number);
    }
    return number.has_value();
  }
  const std::optional<double> number = kind == "doubleValue" ? otlp_real(value) : std::nullopt;
  if (number.has_value()) {
    append_typed_real(*number, &json->raw());
  }
  return number.has_value();
}

}  // namespace

void write_otlp_value(JsonWriter* json, DynamicView any) {
  std::string_view kind;
  DynamicView value;
  for (DynamicView::Iterator each(any); value.is_null() && each.next();) {
    if (std::ranges::find(kValueKinds, each.key()) != kValueKinds.end()) {
      kind = each.key();
      value = each.value();
    }
  }
  if (!any.is_bag()) {
    json->null();
  } else if (kind == "arrayValue") {
    json->begin_array();
    const DynamicView values = values_of(value);
    for (DynamicView::Iterator each(values); each.next();) {
      write_otlp_value(json, each.value());
    }
    json->end_array();
  } else if (kind == "kvlistValue") {
    write_pairs(json, values_of(value));
  } else if (!write_number(json, kind, value)) {
    append_typed_json(value, &json->raw());
  }
}

// Writes the text of a shape: a tree of the names that are split, then the map of the others.
class OtlpAttributes::ShapeBuilder {
 public:
  ShapeBuilder(const std::vector<std::string_view>& names, Shape* shape) : shape_(*shape) {
    for (const std::string_view name : names) {
      shape_.names.append(name);
      shape_.name_ends.push_back(shape_.names.size());
    }
  }

  void add_tree(std::vector<NamePath> paths) {
    std::ranges::stable_sort(paths, comes_before);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const bool repeated = i + 1 < paths.size() && is_same(paths[i], paths[i + 1]);
      if (!repeated) {  // the last of a name counts
        close_to(paths[i]);
        open_to(paths[i], value_key(std::span(paths).subspan(i)));
        add_value(paths[i].pair);
      }
    }
    while (!open_.empty()) {
      close();
    }
  }

  void add_map(std::string_view key, const std::vector<NamePath>& paths) {
    json_.key(key);
    json_.begin_object();
    for (const NamePath& path : paths) {
      json_.key(path.text);
      add_value(path.pair);
    }
    json_.end_object();
  }

  void begin() { json_.begin_object(); }
  void end() { json_.end_object(); }

 private:
  void add_value(std::size_t pair) { shape_.steps.push_back({json_.raw().size(), pair}); }
  void close() {
    json_.end_object();
    open_.pop_back();
  }
  // Leaves the objects that the path does not go through.
  void close_to(const NamePath& path) {
    std::size_t from = 0;
    std::size_t shared = 0;
    while (shared < open_.size() && from <= path.text.size() && path.part(from) == open_[shared] &&
           path.part(from).size() + from < path.text.size()) {
      from += open_[shared++].size() + 1;
    }
    while (open_.size() > shared) {
      close();
    }
    from_ = from;
  }
  // Enters those that it goes through besides, and writes the key of its value: `value_key`, unless
  // that is empty, in an object of its own.
  void open_to(const NamePath& path, std::string_view value_key) {
    for (bool last = false; !last;) {
      const std::string_view part = path.part(from_);
      last = from_ + part.size() >= path.text.size();
      json_.key(part);
      if (!last || !value_key.empty()) {
        json_.begin_object();
        open_.push_back(part);
      }
      from_ += part.size() + 1;
    }
    if (!value_key.empty()) {
      json_.key(value_key);
    }
  }

  Shape& shape_;
  JsonWriter json_{shape_.text};
  std::vector<std::string_view> open_;
  std::size_t from_ = 0;  // of the part of the name that comes next
};

bool OtlpAttributes::Shape::is_of(const std::vector<std::string_view>& list) const {
  if (name_ends.size() != list.size()) {
    return false;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::string_view(names).substr(begin, name_ends[i] - begin) != list[i]) {
      return false;
    }
    begin = name_ends[i];
  }
  return true;
}

const OtlpAttributes::Shape& OtlpAttributes::shape_of_names() {
  for (std::size_t i = shapes_.size(); i-- > 0;) {
    if (shapes_[i].is_of(names_)) {
      std::swap(shapes_[i], shapes_.back());
      return shapes_.back();
    }
  }
  Shape shape;
  ShapeBuilder builder(names_, &shape);
  std::vector<NamePath> split;
  std::vector<NamePath> whole;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool custom = split_ == Names::kConventions && !is_convention(names_[i]);
    std::vector<NamePath>& list = custom ? whole : split;
    const bool splits = names_[i].size() <= kFieldNameBytesMax && list.size() < kEventFieldsMax;
    list.push_back({names_[i], splits, i});
  }
  builder.begin();
  builder.add_tree(std::move(split));
  if (!whole.empty()) {
    builder.add_map("custom", whole);
  }
  builder.end();
  if (shape.name_ends.size() > kShapeNamesMax || shape.names.size() > kShapeNameBytesMax) {
    unkept_ = std::move(shape);
    return unkept_;
  }
  if (shapes_.size() == kShapesMax) {
    shapes_.erase(shapes_.begin());
  }
  return shapes_.emplace_back(std::move(shape));
}

void OtlpAttributes::write(std::string_view key, DynamicView pairs, JsonWriter* json) {
  names_.clear();
  values_.clear();
  for (DynamicView::Iterator each(pairs); each.next();) {
    const Pair pair(each.value());
    names_.push_back(pair.name);
    values_.push_back(pair.value);
  }
  if (names_.empty()) {
    return;
  }
  const Shape& shape = shape_of_names();
  const std::string_view text = shape.text;
  json->key(key);
  std::string& out = json->raw();
  std::size_t begin = 0;
  for (const Shape::Step& step : shape.steps) {
    out.append(text.substr(begin, step.text_end - begin));
    begin = step.text_end;
    JsonWriter value(out);
    write_otlp_value(&value, values_[step.pair]);
  }
  out.append(text.substr(begin));
}

}  // namespace evq
