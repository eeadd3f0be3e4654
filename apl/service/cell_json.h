#pragma once
// Cells as JSON text, for the writers of answers. A renderer belongs to one thread and lives no
// longer than the column it reads.

#include <cstddef>
#include <string>
#include <vector>

#include "apl/service/result_writer.h"
#include "store/column/chunk.h"

namespace evq {

// The most text of entries that the renderers of a chunk keep, all together.
inline constexpr std::size_t kRenderedBytesMax = std::size_t{16} << 20U;

// Renders the cells of one column of a chunk, which must outlive it. A column that is a dictionary
// is rendered once per entry, as far as `kept_bytes_max` hold their texts.
class CellRenderer {
 public:
  explicit CellRenderer(const Vector& column, WholeReals reals = WholeReals::kShort,
                        std::size_t kept_bytes_max = kRenderedBytesMax);
  void append(std::string* out, std::size_t row);

 private:
  const Vector& column_;
  const WholeReals reals_;
  std::size_t room_bytes_;  // for more texts
  std::vector<std::string> rendered_;
};

std::vector<CellRenderer> cell_renderers(const Chunk& rows, WholeReals reals = WholeReals::kShort);

}  // namespace evq
