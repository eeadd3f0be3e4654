// Options of `set`: those that change what a query means or gives, and those of Kusto that have
// nothing to act on here, each with the reason that the answer's warning gives.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/plan/binder.h"

namespace evq::plan {
namespace {

enum class Setting : std::uint8_t {
  kStrictTypes,
  kNoTruncation,
  kTruncationRows,
  kRowsMax,
  kBinSize,
  kBinAt,
  kBestEffort,
  kNone
};

struct OptionRow {
  std::string_view name;
  Setting setting;
  std::string_view reason{};  // of kNone: what decides instead
};

constexpr std::array<OptionRow, 12> kOptions = {
    {{"stricttypes", Setting::kStrictTypes},
     {"notruncation", Setting::kNoTruncation},
     {"truncationmaxrecords", Setting::kTruncationRows},
     {"query_take_max_records", Setting::kRowsMax},
     {"query_bin_auto_size", Setting::kBinSize},
     {"query_bin_auto_at", Setting::kBinAt},
     {"truncationmaxsize", Setting::kNone, "answers are limited by rows"},
     {"servertimeout", Setting::kNone, "the request's timeout decides"},
     {"norequesttimeout", Setting::kNone, "the request's timeout decides"},
     {"query_now", Setting::kNone, "now() is the time of the request"},
     {"maxmemoryconsumptionperiterator", Setting::kNone, "the memory limit of queries decides"},
     {"best_effort", Setting::kBestEffort}}};

}  // namespace

Status Binder::set_option(const ast::Set& set) {
  const auto* row = std::ranges::find(kOptions, set.name.text, &OptionRow::name);
  const std::string quoted = "the option '" + set.name.text + "' ";
  if (row == kOptions.end()) {
    std::vector<std::string_view> names;
    names.reserve(kOptions.size());
    for (const OptionRow& known : kOptions) {
      names.push_back(known.name);
    }
    const std::string hint = diag::did_you_mean(set.name.text, names);
    warn(quoted + "is not known and was ignored" + (hint.empty() ? "" : "; " + hint));
    return Status::success();
  }
  if (row->setting == Setting::kNone) {
    warn(quoted + "has no effect: " + std::string(row->reason));
    return Status::success();
  }
  if (row->setting == Setting::kTruncationRows || row->setting == Setting::kRowsMax) {
    if (set.value == nullptr) {
      return diag::missing_argument(set.name.span, "set", set.name.text);
    }
    EVQ_TRY_ASSIGN(const std::uint64_t rows, bind_count(*set.value, "the number of rows"));
    (row->setting == Setting::kRowsMax ? rows_max_ : default_limit_) = rows;
    return Status::success();
  }
  if (row->setting == Setting::kBinSize || row->setting == Setting::kBinAt) {
    if (set.value == nullptr) {
      return diag::missing_argument(set.name.span, "set", set.name.text);
    }
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*set.value, set.name.text));
    (row->setting == Setting::kBinSize ? bin_auto_size_ : bin_auto_at_) = value;
    return Status::success();
  }
  bool on = true;
  if (set.value != nullptr) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*set.value, set.name.text));
    if (value.type() != Type::kBool || value.is_null()) {
      return diag::invalid_constant(set.value->span, set.name.text, "be true or false");
    }
    on = value.as_bool();
  }
  if (row->setting == Setting::kStrictTypes) {
    strict_types_ = on;
  } else if (row->setting == Setting::kBestEffort) {
    tables_.leave_out_damage(context(), on);
  } else {
    default_limit_ = on ? std::nullopt : options_.default_limit;
  }
  return Status::success();
}

Status Binder::check_strict(const Expr& call, std::span<const Type> types,
                            std::string_view name) const {
  if (!strict_types_ || call.kind != ExprKind::kCall) {
    return Status::success();
  }
  for (std::size_t i = 0; i < types.size() && i < call.call.arguments.size(); ++i) {
    const Type wanted = call.call.arguments[i];
    const bool same = types[i] == wanted || types[i] == Type::kNull || wanted == Type::kNull ||
                      (is_numeric(types[i]) && is_numeric(wanted));
    if (!same) {
      return diag::wrong_argument_type(call.args[i]->span, name, i + 1, type_name(wanted),
                                       type_name(types[i]));
    }
  }
  return Status::success();
}

}  // namespace evq::plan
