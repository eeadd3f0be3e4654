// Column by column, as far as there are still ties: most are settled by the first fields. Rows are
// read in the order of their places, so that a block is opened once for as many columns as are held
// at a time.

#include "apl/exec/tied_rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "apl/exec/eval.h"
#include "apl/exec/fetch.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/release_memory.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

// Cells that are read at once, as long as there is more than one column of them.
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 18U;

class TiedRows {
 public:
  TiedRows(Executor& executor, const plan::RowCells& cells, std::span<RowChoice* const> parts)
      : executor_(executor),
        cells_(cells),
        parts_(parts),
        lease_(executor.options().budget, "summarize") {}

  Status settle() {
    EVQ_TRY(collect());
    for (std::size_t begin = 0; begin < cells_.cells.size() && !rows_.empty();) {
      const std::size_t left = cells_.cells.size() - begin;
      const std::size_t count = std::clamp<std::size_t>(kCellsAtOnce / rows_.size(), 1, left);
      EVQ_TRY(compare(begin, count));
      begin += count;
    }
    // Whichever it is of rows that are all the same.
    for (std::size_t i = rows_.size(); i-- > 0;) {
      choose(rows_[i]);
    }
    return Status::success();
  }

 private:
  struct Row {
    std::int64_t place;
    std::uint32_t part;
    std::uint32_t group;  // of the part
    std::uint32_t tie;    // a number of part and group
  };

  // Each part puts its own rows in order, side by side.
  Status collect() {
    std::vector<std::vector<Row>> lists(parts_.size());
    std::vector<std::uint32_t> ties(parts_.size());
    EVQ_TRY(executor_.run_each(parts_.size(), [&](std::size_t part) {
      lists[part] = rows_of(static_cast<std::uint32_t>(part), &ties[part]);
      return Status::success();
    }));
    std::vector<std::ptrdiff_t> ends{0};
    for (std::size_t part = 0; part < lists.size(); ++part) {
      for (Row& row : lists[part]) {
        row.tie += static_cast<std::uint32_t>(ties_);
      }
      ties_ += ties[part];
      rows_.insert(rows_.end(), lists[part].begin(), lists[part].end());
      ends.push_back(static_cast<std::ptrdiff_t>(rows_.size()));
      release_memory(lists[part]);
      EVQ_TRY(lease_.resize(rows_.capacity() * sizeof(Row)));
    }
    for (std::size_t width = 1; width < lists.size(); width *= 2) {
      for (std::size_t i = 0; i + width < lists.size(); i += 2 * width) {
        std::ranges::inplace_merge(rows_.begin() + ends[i], rows_.begin() + ends[i + width],
                                   rows_.begin() + ends[std::min(i + 2 * width, lists.size())], {},
                                   &Row::place);
      }
    }
    return Status::success();
  }

  // The rows of a part by place; their ties are numbered from 0 on.
  std::vector<Row> rows_of(std::uint32_t part, std::uint32_t* ties) const {
    const std::vector<RowChoice::Tied> tied = parts_[part]->ties();
    std::vector<Row> rows;
    rows.reserve(tied.size());
    for (std::size_t i = 0; i < tied.size(); ++i) {
      *ties += i == 0 || tied[i].group != tied[i - 1].group ? 1U : 0U;
      rows.push_back({tied[i].row, part, tied[i].group, *ties - 1});
    }
    std::ranges::sort(rows, {}, &Row::place);
    return rows;
  }

  void choose(const Row& row) { parts_[row.part]->choose({row.group, row.place}); }

  // Leaves of each tie the rows with the largest of these cells.
  Status compare(std::size_t begin, std::size_t count) {
    plan::Fetch fetch{cells_.fetch.table, 0, {}};
    std::vector<plan::ExprPtr> cells = narrowed_cells(begin, count, &fetch);
    std::vector<std::vector<Vector>> batches;  // by batch and cell
    MemoryLease held(executor_.options().budget, "summarize");
    for (std::size_t from = 0; from < rows_.size(); from += kChunkRowsMax) {
      EVQ_TRY_ASSIGN(std::vector<Vector> read, read_batch(fetch, cells, from));
      for (const Vector& cell : read) {
        EVQ_TRY(held.grow(cell.size_bytes()));
      }
      batches.push_back(std::move(read));
    }
    keep_largest(batches);
    return Status::success();
  }

  // The cells over those columns alone that they are made of.
  std::vector<plan::ExprPtr> narrowed_cells(std::size_t begin, std::size_t count,
                                            plan::Fetch* fetch) const {
    std::vector<std::size_t> place(cells_.fetch.columns.size(), plan::kNoColumn);
    std::vector<plan::ExprPtr> cells;
    for (std::size_t i = begin; i < begin + count; ++i) {
      plan::for_each_column(*cells_.cells[i], [&](std::size_t column) {
        if (place[column] == plan::kNoColumn) {
          place[column] = fetch->columns.size();
          fetch->columns.push_back(cells_.fetch.columns[column]);
        }
      });
      cells.push_back(plan::clone(*cells_.cells[i]));
    }
    for (const plan::ExprPtr& cell : cells) {
      plan::remap_columns(cell.get(), place);
    }
    return cells;
  }

  Result<std::vector<Vector>> read_batch(const plan::Fetch& fetch,
                                         std::span<const plan::ExprPtr> cells, std::size_t from) {
    EVQ_TRY(executor_.check());
    const std::size_t count = std::min(kChunkRowsMax, rows_.size() - from);
    const std::shared_ptr<Values> places = Values::make(Type::kLong, count);
    for (std::size_t i = 0; i < count; ++i) {
      places->mutable_data<std::int64_t>()[i] = rows_[from + i].place;
    }
    std::vector<Vector> columns{Vector::flat(places)};
    EVQ_TRY_ASSIGN(const Chunk read,
                   fetch_rows(executor_, fetch, Chunk(std::move(columns), count)));
    std::vector<Vector> made;
    AllocationMeter meter = executor_.meter("summarize");
    EVQ_TRY(meter.guard([&] {
      for (const plan::ExprPtr& cell : cells) {
        made.push_back(evaluate(*cell, executor_.context(), read.columns(), read.rows()));
      }
    }));
    return made;
  }

  void keep_largest(const std::vector<std::vector<Vector>>& batches) {
    constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
    const auto order = [&](std::size_t a, std::size_t b) {
      const std::vector<Vector>& left = batches[a / kChunkRowsMax];
      const std::vector<Vector>& right = batches[b / kChunkRowsMax];
      for (std::size_t cell = 0; cell < left.size(); ++cell) {
        const int found =
            compare_rows(left[cell], a % kChunkRowsMax, right[cell], b % kChunkRowsMax);
        if (found != 0) {
          return found;
        }
      }
      return 0;
    };
    std::vector<std::uint32_t> best(ties_, kNoRow);
    std::vector<std::uint32_t> equal(ties_, 0);  // rows with the best cells
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      std::uint32_t& held = best[rows_[i].tie];
      const int found = held == kNoRow ? 1 : order(i, held);
      if (found > 0) {
        held = i;
        equal[rows_[i].tie] = 1;
      } else if (found == 0) {
        ++equal[rows_[i].tie];
      }
    }
    std::vector<Row> kept;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const std::uint32_t held = best[rows_[i].tie];
      if (equal[rows_[i].tie] == 1 && held == i) {
        choose(rows_[i]);
      } else if (equal[rows_[i].tie] > 1 && (held == i || order(i, held) == 0)) {
        kept.push_back(rows_[i]);
      }
    }
    rows_ = std::move(kept);
  }

  Executor& executor_;
  const plan::RowCells& cells_;
  const std::span<RowChoice* const> parts_;
  std::vector<Row> rows_;  // that are still tied, by place
  std::size_t ties_ = 0;
  MemoryLease lease_;
};

}  // namespace

Status choose_tied_rows(Executor& executor, const plan::RowCells& cells,
                        std::span<RowChoice* const> parts) {
  return TiedRows(executor, cells, parts).settle();
}

}  // namespace evq
