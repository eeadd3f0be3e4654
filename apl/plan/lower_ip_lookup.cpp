// evaluate ipv4_lookup and ipv6_lookup: each row joined with the rows of a table whose networks
// hold its address. The table is read while binding and becomes two functions: one gives the
// numbers of the rows that match an address, which mv-expand spreads; the other a cell of such a
// row.

#include <algorithm>
#include <tuple>
#include <utility>

#include "apl/functions/ip_address.h"
#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/column/ordering.h"
#include "store/column/unique_names.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

// The networks of a column, by prefix and masked address; rows whose text is none are left out.
class NetworkIndex {
 public:
  NetworkIndex(const Vector& networks, bool ipv4) {
    for (std::size_t row = 0; row < networks.size(); ++row) {
      const std::optional<IpNetwork> network =
          networks.is_null(row) ? std::nullopt
                                : parse_ip_network(networks.at<std::string_view>(row));
      if (network.has_value() && (network->ipv4 || !ipv4)) {
        entries_.push_back({network->prefix, mask_ip(network->address, network->prefix), row});
      }
    }
    std::ranges::stable_sort(entries_, {}, network_of);
    for (const Entry& entry : entries_) {
      if (prefixes_.empty() || prefixes_.back() != entry.prefix) {
        prefixes_.push_back(entry.prefix);
      }
    }
  }

  // Calls visit(row) for the rows whose networks hold all of `network`, the narrowest first.
  template <class Visit>
  void visit(const IpNetwork& network, const Visit& visit) const {
    for (auto prefix = prefixes_.rbegin(); prefix != prefixes_.rend(); ++prefix) {
      if (*prefix > network.prefix) {
        continue;
      }
      const Entry wanted{*prefix, mask_ip(network.address, *prefix), 0};
      for (auto at = std::ranges::lower_bound(entries_, network_of(wanted), {}, network_of);
           at != entries_.end() && network_of(*at) == network_of(wanted); ++at) {
        visit(at->row);
      }
    }
  }

 private:
  struct Entry {
    int prefix = 0;
    IpAddress address;
    std::size_t row = 0;
  };

  static std::tuple<int, IpAddress> network_of(const Entry& entry) {
    return {entry.prefix, entry.address};
  }

  std::vector<Entry> entries_;
  std::vector<int> prefixes_;
};

struct LookupTable {
  Table table;
  NetworkIndex index;
  bool ipv4 = true;
  std::vector<std::size_t> extra_keys;  // columns that must be equal besides
  bool keep_unmatched = false;
};

// Arguments: the address, then the extra keys. An array of row numbers; of a row without any, null
// when such rows are kept.
class MatchingRows final : public BoundFunction {
 public:
  explicit MatchingRows(std::shared_ptr<const LookupTable> lookup) : lookup_(std::move(lookup)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    VectorBuilder out(Type::kDynamic);
    DynamicBuilder list;
    for (std::size_t i = 0; i < rows; ++i) {
      list.clear();
      list.begin_array();
      const bool any = add_matches(args, i, &list);
      list.end_array();
      if (any || !lookup_->keep_unmatched) {
        out.append_text(list.bytes());
      } else {
        out.append_null();
      }
    }
    return out.finish();
  }

 private:
  // Whether there was any.
  bool add_matches(std::span<const Vector> args, std::size_t i, DynamicBuilder* list) const {
    const std::optional<IpNetwork> address =
        args[0].is_null(i) ? std::nullopt : parse_ip_network(args[0].at<std::string_view>(i));
    if (!address.has_value() || (lookup_->ipv4 && !address->ipv4)) {
      return false;
    }
    bool any = false;
    lookup_->index.visit(*address, [&](std::size_t row) {
      if (extra_keys_match(args, i, row)) {
        list->add_long(static_cast<std::int64_t>(row));
        any = true;
      }
    });
    return any;
  }

  bool extra_keys_match(std::span<const Vector> args, std::size_t i, std::size_t row) const {
    for (std::size_t k = 0; k < lookup_->extra_keys.size(); ++k) {
      const Vector& key = lookup_->table.columns[lookup_->extra_keys[k]];
      if (key.is_null(row) || !rows_equal(args[k + 1], i, key, row)) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<const LookupTable> lookup_;
};

// A cell of the row that the first argument numbers; the second is the column, for whoever compares
// expressions.
class LookupCell final : public BoundFunction {
 public:
  LookupCell(std::shared_ptr<const LookupTable> lookup, std::size_t column)
      : lookup_(std::move(lookup)), column_(column) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector& cells = lookup_->table.columns[column_];
    VectorBuilder out(cells.type());
    for (std::size_t i = 0; i < rows; ++i) {
      if (args[0].is_null(i)) {
        out.append_null();
      } else {
        out.append_row(cells, static_cast<std::size_t>(args[0].at<std::int64_t>(i)));
      }
    }
    return out.finish();
  }

 private:
  std::shared_ptr<const LookupTable> lookup_;
  std::size_t column_;
};

constexpr ScalarFunction kMatchingRows = operator_row("op_matching_rows", "networks", nullptr);
constexpr ScalarFunction kLookupCell = operator_row("op_lookup_cell", "lookup cell", nullptr);

ExprPtr bound_call(const ScalarFunction& row, Type result, std::vector<ExprPtr> args,
                   std::shared_ptr<const BoundFunction> function) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kCall;
  expr->type = result;
  expr->function = &row;
  expr->call.result = result;
  for (const ExprPtr& arg : args) {
    expr->call.arguments.push_back(arg->type);
  }
  expr->call.function = std::move(function);
  expr->args = std::move(args);
  return expr;
}

}  // namespace

// ipv4_lookup(table, address, network[, key, …][, return_unmatched]).
class IpLookupBinder {
 public:
  IpLookupBinder(Binder& binder, const ast::Call& call, Span span)
      : binder_(binder), call_(call), span_(span) {}

  Result<Relation> bind(Relation input) {
    constexpr std::size_t kArgumentsMin = 3;
    const std::string_view name = call_.function.text;
    if (call_.arguments.size() < kArgumentsMin) {
      return diag::wrong_argument_count(
          span_, name, "at least 3", call_.arguments.size(),
          std::string(name) + "(table, address, network, [key, …], [return_unmatched])");
    }
    auto lookup = std::make_shared<LookupTable>(
        LookupTable{Table(),
                    NetworkIndex(Vector::constant(Value::null(Type::kString), 0), true),
                    true,
                    {},
                    false});
    lookup->ipv4 = name == "ipv4_lookup";
    EVQ_TRY_ASSIGN(ExprPtr address, binder_.bind_text(*call_.arguments[1].value, input));
    EVQ_TRY(read_table(lookup.get()));
    EVQ_TRY_ASSIGN(const std::size_t network, column_of(*call_.arguments[2].value, *lookup));
    if (lookup->table.columns[network].type() != Type::kString) {
      return diag::wrong_argument_type(call_.arguments[2].value->span, name, 3, "string",
                                       type_name(lookup->table.columns[network].type()));
    }
    lookup->index = NetworkIndex(lookup->table.columns[network], lookup->ipv4);
    std::vector<ExprPtr> keys;
    keys.push_back(std::move(address));
    EVQ_TRY(bind_extra_keys(input, lookup.get(), &keys));
    return joined(std::move(input), std::move(keys), lookup);
  }

 private:
  Status read_table(LookupTable* lookup) {
    const Meanwhile beside(&binder_.answer_rows_, false);
    EVQ_TRY_ASSIGN(Relation table, binder_.table_of_expr(*call_.arguments[0].value));
    std::vector<NamedColumn> columns = pass_through(table);
    table = choose(std::move(table), std::move(columns));
    EVQ_TRY_ASSIGN(lookup->table, binder_.run_now(*table.node, span_, call_.function.text));
    lookup->table.schema = table.schema();
    return Status::success();
  }

  Result<std::size_t> column_of(const ast::Expr& expr, const LookupTable& lookup) const {
    const auto* field = std::get_if<ast::FieldRef>(&expr.node);
    if (field == nullptr) {
      return diag::name_required(expr.span, call_.function.text);
    }
    if (const auto at = lookup.table.schema.find(field->name.text); at.has_value()) {
      return *at;
    }
    std::vector<std::string_view> names;
    for (const Field& known : lookup.table.schema.fields()) {
      names.push_back(known.name);
    }
    return diag::unknown_field(expr.span, field->name.text, "the lookup table", names);
  }

  Status bind_extra_keys(const Relation& input, LookupTable* lookup, std::vector<ExprPtr>* keys) {
    for (std::size_t i = 3; i < call_.arguments.size(); ++i) {
      const ast::Argument& argument = call_.arguments[i];
      const bool last = i + 1 == call_.arguments.size();
      if (argument.name.has_value() ||
          (last && std::holds_alternative<ast::Literal>(argument.value->node))) {
        constexpr std::string_view kOption[] = {"return_unmatched"};
        if (argument.name.has_value() && argument.name->text != kOption[0]) {
          return diag::unknown_argument(argument.name->span, call_.function.text,
                                        argument.name->text, kOption);
        }
        EVQ_TRY_ASSIGN(const Value keep, binder_.bind_constant(*argument.value, kOption[0]));
        if (keep.is_null() || keep.type() != Type::kBool) {
          return diag::invalid_constant(argument.value->span, kOption[0], "be true or false");
        }
        lookup->keep_unmatched = keep.as_bool();
        continue;
      }
      EVQ_TRY_ASSIGN(const std::size_t column, column_of(*argument.value, *lookup));
      EVQ_TRY_ASSIGN(ExprPtr key, binder_.bind_expr(*argument.value, &input));
      EVQ_TRY_ASSIGN(key, binder_.fit(std::move(key), lookup->table.columns[column].type(),
                                      call_.function.text, i + 1));
      lookup->extra_keys.push_back(column);
      keys->push_back(std::move(key));
    }
    return Status::success();
  }

  // The input's rows, once a match; then the columns of the table that are no keys.
  Result<Relation> joined(Relation input, std::vector<ExprPtr> keys,
                          const std::shared_ptr<const LookupTable>& lookup) {
    const std::size_t before = input.schema().size();
    std::vector<NamedColumn> columns = pass_through(input);
    add_hidden(input.schema(), before, &columns);
    const std::size_t matches = columns.size();
    columns.push_back(
        {hidden_name("matches"), bound_call(kMatchingRows, Type::kDynamic, std::move(keys),
                                            std::make_shared<MatchingRows>(lookup))});
    input = choose(std::move(input), std::move(columns));
    const Schema schema = input.schema();
    input.node = stack(std::move(input.node),
                       Unnest{.columns = {{matches, false}}, .row_limit = {}}, schema);
    input.limit.reset();  // a limit before counted other rows
    std::vector<NamedColumn> result;
    for (std::size_t i = 0; i < matches; ++i) {
      if (!is_hidden(schema[i].name)) {
        result.push_back({schema[i].name, make_column(i, schema[i].type)});
      }
    }
    UniqueNames names(result);
    for (std::size_t column = 0; column < lookup->table.columns.size(); ++column) {
      if (std::ranges::find(lookup->extra_keys, column) != lookup->extra_keys.end()) {
        continue;
      }
      EVQ_TRY_ASSIGN(ExprPtr row,
                     binder_.convert(make_column(matches, Type::kDynamic), Type::kLong, span_));
      std::vector<ExprPtr> args;
      args.push_back(std::move(row));
      args.push_back(make_constant(Value::integer(static_cast<std::int64_t>(column))));
      result.push_back({names.take(lookup->table.schema[column].name),
                        bound_call(kLookupCell, lookup->table.columns[column].type(),
                                   std::move(args), std::make_shared<LookupCell>(lookup, column))});
    }
    add_hidden(schema, matches, &result);
    return choose(std::move(input), std::move(result));
  }

  Binder& binder_;
  const ast::Call& call_;
  Span span_;
};

Result<Relation> Binder::ip_lookup(const ast::Evaluate& op, Relation input) {
  return IpLookupBinder(*this, std::get<ast::Call>(op.call->node), op.call->span)
      .bind(std::move(input));
}

}  // namespace evq::plan
