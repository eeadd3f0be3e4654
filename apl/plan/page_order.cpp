#include "apl/plan/page_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apl/plan/dataset_location.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/node_traits.h"

namespace evq::plan {
namespace {

constexpr std::string_view kOtherRows = "its rows are no events of a dataset";
constexpr std::string_view kOtherOrder = "its order is not that of _time alone";
constexpr std::string_view kOtherChoice = "it keeps some rows in an order other than that of _time";
constexpr std::string_view kNeighbours = "it looks at rows beside each other";
constexpr std::string_view kExpanded = "it makes several rows of an event";
constexpr std::string_view kTwice = "it reads a dataset twice";
constexpr std::string_view kOfRight = "it keeps rows of the right side that match no event";

enum class Role : std::uint8_t { kOther, kTime, kRow };

// What is known of the rows that come out of a node.
struct Rows {
  enum class Order : std::uint8_t { kNone, kTime, kOther };
  std::vector<Role> roles;  // of the columns
  Order order = Order::kNone;
  bool descending = true;
  bool limited = false;  // by time: an order given later is that of a page's rows
};

// Whether equal `keys` mean one row at most.
bool is_unique(const Node& node, const std::vector<std::size_t>& keys) {
  if (const auto* aggregate = std::get_if<Aggregate>(&node.op)) {
    for (std::size_t group = 0; group < aggregate->groups.size(); ++group) {
      if (std::ranges::find(keys, group) == keys.end()) {
        return false;
      }
    }
    return true;
  }
  if (!traits_of(node.op).one_row_at_most()) {
    return false;
  }
  std::vector<std::size_t> below;
  for (const std::size_t key : keys) {
    if (const std::optional<std::size_t> passed = column_below(node, key)) {
      below.push_back(*passed);
    }
  }
  return is_unique(*node.inputs[0], below);
}

class PageWalk {
 public:
  PageOrder walk(const Node& root) {
    const bool events =
        root.schema.find(kTimeColumn).has_value() && root.schema.find(kRowColumn).has_value();
    if (!events) {
      return {kOtherRows, true, false};
    }
    const Rows rows = visit(root);
    if (rows.order == Rows::Order::kNone || (rows.order == Rows::Order::kOther && !rows.limited)) {
      obstruct(kOtherOrder);
    }
    return {obstacle_, rows.descending, repeats_};
  }

 private:
  // Behind the first obstacle nothing matters any more. A shared plan that is met again is one, as
  // are the scans in it: the ways to plans that share others double with each of them.
  Rows visit(const Node& node) {
    Rows rows = obstacle_.empty()
                    ? std::visit([&](const auto& op) { return of(op, node); }, node.op)
                    : Rows();
    rows.roles.resize(node.schema.size(), Role::kOther);
    for (std::size_t i = 0; i < node.schema.size(); ++i) {
      const std::string& name = node.schema[i].name;
      rows.roles[i] = name == kTimeColumn  ? Role::kTime
                      : name == kRowColumn ? Role::kRow
                                           : rows.roles[i];
    }
    return rows;
  }

  Rows of(const Scan& op, const Node& /*node*/) {
    if (!datasets_.insert(op.table.name).second) {
      obstruct(kTwice);
    }
    Rows rows;
    for (const ScanColumn& column : op.columns) {
      rows.roles.push_back(column.field == "_time" ? Role::kTime : Role::kOther);
    }
    return rows;
  }
  Rows of(const Filter& /*op*/, const Node& node) { return visit(*node.inputs[0]); }
  Rows of(const Extract& /*op*/, const Node& node) { return visit(*node.inputs[0]); }
  Rows of(const Sample& /*op*/, const Node& node) { return visit(*node.inputs[0]); }
  Rows of(const Shared& op, const Node& /*node*/) { return visit(*op.plan); }

  Rows of(const Project& op, const Node& node) {
    Rows rows = visit(*node.inputs[0]);
    std::vector<Role> roles;
    for (const ExprPtr& expr : op.exprs) {
      roles.push_back(expr->is_column() ? rows.roles[expr->column] : Role::kOther);
    }
    rows.roles = std::move(roles);
    return rows;
  }

  Rows of(const Sort& op, const Node& node) { return sorted(op.keys, visit(*node.inputs[0])); }

  Rows of(const Limit& /*op*/, const Node& node) { return limited(visit(*node.inputs[0])); }

  Rows of(const TopN& op, const Node& node) {
    Rows rows = visit(*node.inputs[0]);
    if (op.groups != 0) {
      obstruct(kOtherChoice);
    }
    return limited(op.keys.empty() ? std::move(rows) : sorted(op.keys, std::move(rows)));
  }

  Rows of(const Join& op, const Node& node) {
    const JoinTraits traits = join_traits(op.kind);
    if (!traits.passes_left_rows()) {
      obstruct(kOfRight);
    } else if (traits.emits_right && !traits.first_partner_only) {
      repeats_ = repeats_ || !is_unique(*node.inputs[1], op.right_keys);
    }
    Rows rows = visit(*node.inputs[0]);
    rows.order = Rows::Order::kNone;
    return rows;
  }

  Rows of(const Union& /*op*/, const Node& node) {
    Rows rows;
    for (const NodePtr& input : node.inputs) {
      Rows each = visit(*input);
      if (rows.roles.empty()) {
        rows.roles = std::move(each.roles);
      } else {
        std::ranges::transform(rows.roles, each.roles, rows.roles.begin(),
                               [](Role a, Role b) { return a == b ? a : Role::kOther; });
      }
    }
    return rows;
  }

  Rows of(const Unnest& /*op*/, const Node& node) {
    obstruct(kExpanded);
    return visit(*node.inputs[0]);
  }
  Rows of(const Window& /*op*/, const Node& node) {
    obstruct(kNeighbours);
    return visit(*node.inputs[0]);
  }

  template <class Other>
  Rows of(const Other& /*op*/, const Node& /*node*/) {
    obstruct(kOtherRows);
    return {};
  }

  // Keys of time in one direction, and then of the row, unless equal times were in order before.
  Rows sorted(const std::vector<SortKey>& keys, Rows rows) const {
    const bool ties =
        rows.order == Rows::Order::kTime && rows.descending == keys[0].order.descending;
    const bool descending = keys[0].order.descending;
    bool by_time = rows.roles[keys[0].column] == Role::kTime;
    bool by_row = ties;
    for (const SortKey& key : keys) {
      const Role role = rows.roles[key.column];
      if (role == Role::kRow && key.order.descending == descending) {
        by_row = true;
        break;
      }
      by_time = by_time && role == Role::kTime;
    }
    rows.order = by_time && by_row ? Rows::Order::kTime : Rows::Order::kOther;
    if (rows.order == Rows::Order::kTime) {
      rows.descending = descending;
    }
    return rows;
  }

  Rows limited(Rows rows) {
    if (rows.order != Rows::Order::kTime) {
      obstruct(rows.order == Rows::Order::kOther ? kOtherOrder : kOtherChoice);
    }
    rows.limited = true;
    return rows;
  }

  void obstruct(std::string_view obstacle) { obstacle_ = obstacle_.empty() ? obstacle : obstacle_; }

  std::set<std::string, std::less<>> datasets_;
  std::string_view obstacle_;
  bool repeats_ = false;
};

}  // namespace

PageOrder page_order(const Node& root) {
  return PageWalk().walk(root);
}

std::optional<std::uint64_t> look_beyond_page(Node* root) {
  while (std::holds_alternative<Project>(root->op) || std::holds_alternative<Extract>(root->op)) {
    root = root->inputs[0].get();
  }
  auto* limit = std::get_if<Limit>(&root->op);
  auto* top = std::get_if<TopN>(&root->op);
  if (limit == nullptr && top == nullptr) {
    return std::nullopt;
  }
  std::uint64_t& count = limit != nullptr ? limit->count : top->count;
  return count == UINT64_MAX ? count : count++;
}

}  // namespace evq::plan
