#include "store/block/join_columns.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "store/column/physical.h"
#include "store/encoding/dictionary.h"
#include "store/encoding/wanted_values.h"

namespace evq {
namespace {

// Besides a null entry: codes have 16 bits.
constexpr std::size_t kEntriesMax = 65535;

// The entries of all parts, and what each of them becomes.
struct JoinedEntries {
  std::shared_ptr<Values> values;  // distinct ones; a null entry comes last
  std::vector<Code> codes;         // an entry of `values` for each entry of each part in turn
};

bool keeps_entries(const Vector& part) {
  return part.type() == Type::kString && !part.is_flat();
}

// Nothing when there are more distinct ones than `entries_max`.
std::optional<JoinedEntries> join_entries(std::span<const Vector> parts, std::size_t entries_max) {
  std::vector<std::string_view> texts;
  bool any_null = false;
  for (const Vector& part : parts) {
    const Values& entries = part.values();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries.is_null(i)) {
        any_null = true;
      } else {
        texts.push_back(entries.data<std::string_view>()[i]);
      }
    }
  }
  const std::optional<Dictionary> distinct =
      build_dictionary({Type::kString, texts.size(), texts.data()}, entries_max);
  if (!distinct) {
    return std::nullopt;
  }
  const std::size_t size = distinct->entries.size;
  JoinedEntries joined;
  joined.values = Values::make(Type::kString, size + (any_null ? 1 : 0));
  std::copy_n(distinct->entries.data<std::string_view>(), size,
              joined.values->mutable_data<std::string_view>());
  if (any_null) {
    joined.values->set_null(size);
  }
  joined.values->set_distinct();
  for (const Vector& part : parts) {
    joined.values->add_owners_of(part.values());
  }
  std::size_t next = 0;
  for (const Vector& part : parts) {
    for (std::size_t i = 0; i < part.values().size(); ++i) {
      joined.codes.push_back(part.values().is_null(i) ? static_cast<Code>(size)
                                                      : distinct->codes[next++]);
    }
  }
  return joined;
}

std::size_t count_rows(std::span<const RowRun> runs) {
  return std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                         [](std::size_t rows, const RowRun& run) { return rows + run.count; });
}

Vector join_codes(std::span<const Vector> parts, std::span<const RowRun> runs,
                  JoinedEntries entries) {
  const std::size_t size = count_rows(runs);
  if (entries.values->size() == 1) {
    return Vector::constant(std::move(entries.values), size);
  }
  std::vector<const Code*> of_parts;  // what the entries of each part become
  const Code* next = entries.codes.data();
  for (const Vector& part : parts) {
    of_parts.push_back(next);
    next += part.values().size();
  }
  const std::shared_ptr<Code[]> codes = make_codes(size);
  Code* to = codes.get();
  for (const RowRun& run : runs) {
    const Vector& part = parts[run.part];
    const Code* of_part = of_parts[run.part];
    if (part.is_constant()) {
      to = std::fill_n(to, run.count, of_part[0]);
    } else {
      const Code* from = part.codes() + run.begin;
      to = std::transform(from, from + run.count, to,
                          [of_part](Code code) { return of_part[code]; });
    }
  }
  return Vector::dictionary(std::move(entries.values), codes, size);
}

// Of all parts, one after the other, with one null entry behind them.
template <class T>
JoinedEntries entries_in_turn(std::span<const Vector> parts, std::size_t values) {
  JoinedEntries joined;
  joined.values = Values::make(parts.front().type(), values + 1);
  T* const to = joined.values->mutable_data<T>();
  std::size_t next = 0;
  for (const Vector& part : parts) {
    const Values& entries = part.values();
    joined.values->add_owners_of(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      joined.codes.push_back(static_cast<Code>(entries.is_null(i) ? values : next));
      if (!entries.is_null(i)) {
        to[next++] = entries.data<T>()[i];
      }
    }
  }
  joined.values->set_null(values);
  return joined;
}

// Nothing unless the rows have few values and the parts show it.
std::optional<Vector> join_few_values(std::span<const Vector> parts, std::span<const RowRun> runs) {
  const std::size_t rows = count_rows(runs);
  std::size_t values = 0;
  for (const Vector& part : parts) {
    if (part.is_flat() || part.type() == Type::kNull) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < part.values().size(); ++i) {
      values += part.values().is_null(i) ? 0U : 1U;
    }
  }
  if (parts.empty() || !is_sparse(values, rows) || values > kEntriesMax) {
    return std::nullopt;
  }
  Vector joined;
  with_physical(parts.front().type(), [&](auto zero) {
    joined = join_codes(parts, runs, entries_in_turn<decltype(zero)>(parts, values));
  });
  if (!joined.is_dictionary()) {
    return joined;
  }
  const auto nulls = std::count(joined.codes(), joined.codes() + rows, static_cast<Code>(values));
  return is_sparse(rows - static_cast<std::size_t>(nulls), rows) ? std::optional(joined)
                                                                 : std::nullopt;
}

}  // namespace

Vector join_columns(std::span<const Vector> parts, std::size_t entries_max,
                    std::span<const RowRun> runs) {
  if (runs.empty() && parts.size() == 1) {
    return parts.front();
  }
  std::vector<RowRun> whole;
  if (runs.empty()) {
    whole = whole_runs(parts);
    runs = whole;
  }
  if (!parts.empty() && std::ranges::all_of(parts, keeps_entries)) {
    auto entries = join_entries(parts, std::min(entries_max, kEntriesMax));
    if (entries) {
      return join_codes(parts, runs, std::move(*entries));
    }
  }
  if (std::optional<Vector> few = join_few_values(parts, runs)) {
    return std::move(*few);
  }
  return concatenate(parts, runs);
}

}  // namespace evq
