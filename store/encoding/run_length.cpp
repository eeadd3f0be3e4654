#include "store/encoding/run_length.h"

#include <utility>

// The column scheme is: runs.

namespace evq {
namespace {

class RunLength final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kRunLength; }
  std::string_view name() const override { return "run length"; }
  bool accepts(Type type) const override { return physical_of(type) == Physical::kInt64; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const Runs runs = split_runs(values.data<std::int64_t>(), values.size);
    // More runs than half the rows would nest run lengths in run lengths for nothing.
    if (runs.values.size() > values.size / 2 + 1) {
      return false;
    }
    write_runs(runs, values.type, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    EVQ_TRY_ASSIGN(const StoredRuns runs, read_runs(in, request, request.type));
    auto out = Values::make(request.type, request.rows.count);
    spread_runs(runs, request.rows, out->mutable_data<std::int64_t>());
    return Vector::flat(std::move(out));
  }
};

}  // namespace

void write_runs(const Runs& runs, Type type, const EncodeOptions& options, ByteWriter& out) {
  out.varint(runs.values.size());
  encode_stream({type, runs.values.size(), runs.values.data()}, options, out);
  encode_stream({Type::kLong, runs.lengths.size(), runs.lengths.data()}, options, out);
}

Result<StoredRuns> read_runs(ByteReader& in, const DecodeRequest& request, Type type) {
  const std::uint64_t count = in.varint();
  if (!in.ok() || count > request.size) {
    return corrupt_segment("there are more runs than rows");
  }
  EVQ_TRY_ASSIGN(const Vector values, decode_stream(in, request.inner(type, count)));
  EVQ_TRY_ASSIGN(const Vector lengths, decode_stream(in, request.inner(Type::kLong, count)));
  StoredRuns runs{values.flatten(), lengths.flatten()};
  std::size_t rows = 0;
  for (std::size_t run = 0; run < count; ++run) {
    const auto length = static_cast<std::uint64_t>(runs.lengths.at<std::int64_t>(run));
    if (length > request.size - rows) {
      return corrupt_segment("runs are longer than the column");
    }
    rows += length;
  }
  if (rows != request.size) {
    return corrupt_segment("runs are shorter than the column");
  }
  return runs;
}

const ColumnEncoding& run_length() {
  static const RunLength kEncoding;
  return kEncoding;
}

}  // namespace evq
