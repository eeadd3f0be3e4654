#include "apl/functions/sql_format.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "apl/functions/sql_parser.h"
#include "store/base/limits.h"

namespace evq {
namespace {

struct Precedence {
  std::string_view op;
  int level;
};
constexpr std::array<Precedence, 9> kPrecedences = {{{"or", 1},
                                                     {"and", 2},
                                                     {"not", 3},
                                                     {"+", 5},
                                                     {"-", 5},
                                                     {"||", 5},
                                                     {"*", 6},
                                                     {"/", 6},
                                                     {"%", 6}}};
constexpr int kComparisonLevel = 4;

int level_of(std::string_view op) {
  const auto found = std::ranges::find(kPrecedences, op, &Precedence::op);
  return found == kPrecedences.end() ? kComparisonLevel : found->level;
}

std::string_view text_at(DynamicView bag, std::string_view key) {
  const std::optional<DynamicView> found = bag.find(key);
  return found.has_value() && found->is_string() ? found->as_string() : std::string_view();
}

class Writer {
 public:
  bool statement(DynamicView model) {
    if (text_at(model, "statement") != "select") {
      return false;
    }
    out_ = model.find("distinct").has_value() ? "select distinct " : "select ";
    return list(model, "columns", "", &Writer::aliased) && from(model) &&
           single(model, "where", " where ") &&
           list(model, "group", " group by ", &Writer::plain) &&
           single(model, "having", " having ") &&
           list(model, "order", " order by ", &Writer::order_item) &&
           single(model, "limit", " limit ") && single(model, "offset", " offset ");
  }
  std::string take() { return std::move(out_); }

 private:
  bool list(DynamicView model, std::string_view key, std::string_view keyword,
            bool (Writer::*item)(DynamicView)) {
    const std::optional<DynamicView> items = model.find(key);
    if (!items.has_value()) {
      return key != "columns";
    }
    out_.append(keyword);
    DynamicView::Iterator each(*items);
    for (bool first = true; each.next(); first = false) {
      out_.append(first ? "" : ", ");
      if (!(this->*item)(each.value())) {
        return false;
      }
    }
    return items->is_array() && items->size() > 0;
  }
  bool single(DynamicView model, std::string_view key, std::string_view keyword) {
    const std::optional<DynamicView> item = model.find(key);
    if (!item.has_value()) {
      return true;
    }
    out_.append(keyword);
    return plain(*item);
  }
  bool plain(DynamicView item) { return expression(item, 0, 0); }
  bool aliased(DynamicView item) {
    const bool good = expression(item, 0, 0);
    const std::string_view alias = text_at(item, "alias");
    if (!alias.empty()) {
      out_.append(" as ");
      name(alias);
    }
    return good;
  }
  bool order_item(DynamicView item) {
    const std::optional<DynamicView> expr = item.find("expr");
    if (!expr.has_value() || !plain(*expr)) {
      return false;
    }
    const std::string_view direction = text_at(item, "direction");
    out_.append(direction.empty() ? "" : " ").append(direction);
    return true;
  }

  bool from(DynamicView model) {
    const std::optional<DynamicView> tables = model.find("from");
    if (!tables.has_value()) {
      return true;
    }
    DynamicView::Iterator each(*tables);
    for (bool first = true; each.next(); first = false) {
      const std::string_view join = text_at(each.value(), "join");
      if (first) {
        out_.append(" from ");
      } else if (join.empty()) {
        out_.append(", ");
      } else {
        out_.append(" ").append(join == "inner" ? "" : join);
        out_.append(join == "inner" ? "join " : " join ");
      }
      name(text_at(each.value(), "table"));
      const std::string_view alias = text_at(each.value(), "alias");
      if (!alias.empty()) {
        out_.append(" as ");
        name(alias);
      }
      if (!single(each.value(), "on", " on ")) {
        return false;
      }
    }
    return true;
  }

  bool joined(std::span<const DynamicView> items, std::string_view between, int level,
              std::size_t depth) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      out_.append(i == 0 ? "" : between);
      if (!expression(items[i], level, depth)) {
        return false;
      }
    }
    return true;
  }

  // Operators are left-associative, so the right side needs one level more.
  bool operation(std::string_view op, std::span<const DynamicView> params, std::size_t depth) {
    const int level = level_of(op);
    if (op == "not" && params.size() == 1) {
      out_.append("not ");
      return expression(params[0], level, depth);
    }
    if (params.size() == 1) {
      return expression(params[0], level + 1, depth) && append(" ", op);
    }
    if (op.ends_with("between") && params.size() == 3) {
      return expression(params[0], level + 1, depth) && append(" ", op) && append(" ", "") &&
             expression(params[1], level + 1, depth) && append(" and ", "") &&
             expression(params[2], level + 1, depth);
    }
    if ((op == "in" || op == "not in") && params.size() > 1) {
      return expression(params[0], level + 1, depth) && append(" ", op) && append(" (", "") &&
             joined(params.subspan(1), ", ", 0, depth) && append(")", "");
    }
    if (params.size() != 2) {
      return false;
    }
    const int left = level == kComparisonLevel ? level + 1 : level;
    return expression(params[0], left, depth) && append(" ", op) && append(" ", "") &&
           expression(params[1], level + 1, depth);
  }
  bool append(std::string_view a, std::string_view b) {
    out_.append(a).append(b);
    return true;
  }

  // A name of parts with points between, each in quotes where it could not stand without.
  bool name(std::string_view text) {
    for (bool first = true; first || !text.empty(); first = false) {
      const std::size_t end = std::min(text.find('.'), text.size());
      const std::string_view part = text.substr(0, end);
      if (part == "*" || is_plain_sql_name(part)) {
        out_.append(part);
      } else {
        out_.push_back('"');
        for (const char c : part) {
          out_.append(c == '"' ? 2 : 1, c);
        }
        out_.push_back('"');
      }
      out_.append(end < text.size() ? "." : "");
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
  }

  bool value(DynamicView item) {
    const std::string_view text = text_at(item, "value");
    if (text_at(item, "valtype") != "string") {
      return append(text, "");
    }
    out_.push_back('\'');
    for (const char c : text) {
      out_.append(c == '\'' ? 2 : 1, c);
    }
    out_.push_back('\'');
    return true;
  }

  bool expression(DynamicView item, int level_min, std::size_t depth) {
    if (depth > kDynamicDepthMax || !item.is_bag()) {
      return false;
    }
    std::vector<DynamicView> params;
    DynamicView::Iterator each(item.find("params").value_or(DynamicView()));
    while (each.next()) {
      params.push_back(each.value());
    }
    const std::string_view op = text_at(item, "operator");
    if (!op.empty()) {
      const bool wrapped = level_of(op) < level_min;
      out_.append(wrapped ? "(" : "");
      const bool good = operation(op, params, depth + 1);
      out_.append(wrapped ? ")" : "");
      return good;
    }
    if (item.find("function").has_value()) {
      return append(text_at(item, "function"), "(") && joined(params, ", ", 0, depth + 1) &&
             append(")", "");
    }
    return item.find("value").has_value() ? value(item) : name(text_at(item, "colname"));
  }

  std::string out_;
};

}  // namespace

std::optional<std::string> sql_text_from_model(DynamicView model) {
  Writer writer;
  return writer.statement(model) ? std::optional(writer.take()) : std::nullopt;
}

}  // namespace evq
