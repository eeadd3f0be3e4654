#pragma once
// Runs: equal neighbours as one value and a count. The scheme of that name is made of them, and so
// are the codes of some dictionaries. Pure functions.
//
//   runs  varint runs, stream of their values, stream of their lengths (longs)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/base/bytes.h"
#include "store/base/result.h"
#include "store/encoding/encoding.h"
#include "store/encoding/schemes.h"

namespace evq {

struct Runs {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> lengths;  // each at least 1
};

template <class T>
Runs split_runs(const T* values, std::size_t size) {
  Runs runs;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == 0 || values[i] != values[i - 1]) {
      runs.values.push_back(values[i]);
      runs.lengths.push_back(0);
    }
    ++runs.lengths.back();
  }
  return runs;
}

// `type` is that of the values: integers.
void write_runs(const Runs& runs, Type type, const EncodeOptions& options, ByteWriter& out);

struct StoredRuns {
  Vector values;
  Vector lengths;
};

// Reads the runs of all `request.size` values. kCorrupt when their lengths have another sum.
Result<StoredRuns> read_runs(ByteReader& in, const DecodeRequest& request, Type type);

// Writes the values of the requested rows; those that T cannot hold lose their high bits.
template <class T>
void spread_runs(const StoredRuns& runs, const RowSet& rows, T* out) {
  std::size_t end = 0;
  std::size_t taken = 0;
  for (std::size_t run = 0; run < runs.values.size() && taken < rows.count; ++run) {
    const std::size_t begin = end;
    end += static_cast<std::size_t>(runs.lengths.at<std::int64_t>(run));
    if (rows[taken] < end) {
      const auto value = static_cast<T>(runs.values.at<std::int64_t>(run));
      taken = take_rows(rows, taken, begin, end,
                        [&](std::size_t /*from*/, std::size_t count, std::size_t to) {
                          std::fill_n(out + to, count, value);
                        });
    }
  }
}

}  // namespace evq
