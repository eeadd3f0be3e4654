// presence: how many rows have a value, field by field.

#include <algorithm>
#include <string>
#include <vector>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/group_values.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

class PresenceState final : public AggregateState {
 public:
  explicit PresenceState(std::vector<std::string> names) : names_(std::move(names)) {}

  void resize(std::size_t groups) override {
    if (groups * names_.size() > counts_.size()) {
      counts_.resize(groups * names_.size());
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    for (std::size_t field = 0; field < names_.size(); ++field) {
      const Vector& vector = args[field];
      if (groups == nullptr && !vector.values().has_nulls()) {
        counts_[field] += static_cast<std::int64_t>(rows);
        continue;
      }
      visiting::visit_shapes(vector, rows, [&](std::size_t row, std::size_t /*slot*/) {
        ++count(groups == nullptr ? 0 : groups[row], field);
      });
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const PresenceState&>(other);
    for (const GroupPair pair : pairs) {
      for (std::size_t field = 0; field < names_.size(); ++field) {
        count(pair.to, field) += from.counts_[pair.from * names_.size() + field];
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(begin, count, [&](std::size_t group, DynamicBuilder* bag) {
      bag->begin_bag();
      for (std::size_t field = 0; field < names_.size(); ++field) {
        bag->key(names_[field]);
        bag->add_long(counts_[group * names_.size() + field]);
      }
      bag->end_bag();
    })};
  }

  std::size_t size_bytes() const override { return counts_.capacity() * sizeof counts_[0]; }

 private:
  std::int64_t& count(std::size_t group, std::size_t field) {
    return counts_[group * names_.size() + field];
  }

  std::vector<std::string> names_;
  std::vector<std::int64_t> counts_;  // by group, then by field
};

AggregateBindResult bind_presence(const AggregateBindRequest& request) {
  std::vector<std::string> names(request.arguments.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool named = i < request.argument_names.size() && !request.argument_names[i].empty();
    names[i] = named ? request.argument_names[i] : "Column" + std::to_string(i + 1);
  }
  return one_result(request, Type::kDynamic, request.arguments[0].type,
                    make_aggregate<PresenceState>(std::move(names)));
}

constexpr AggregateFunction kPresenceRows[] = {
    {.name = "presence",
     .summary = "Counts for each field the rows in which it has a value.",
     .params = {{{"fields...", "The fields to look at; * for all."}}},
     .returns = "dynamic: a bag with the number of rows that are not null by the field's name; 0 "
                "for a field that is always null.",
     .examples = {{{"range i from 1 to 8 step 1 | extend m = iff(i > 5, i, int(null)) | "
                    "summarize p = presence(*)",
                    "{\"i\":8,\"m\":3}"}}},
     .bind = bind_presence,
     .arguments_min = 1},
};

}  // namespace

std::span<const AggregateFunction> presence_aggregates() {
  return kPresenceRows;
}

}  // namespace evq
