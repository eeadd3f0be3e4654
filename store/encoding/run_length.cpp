#include <cstdint>
#include <vector>

#include "store/encoding/schemes.h"

// Run length: equal neighbours become one value and a count.
//   varint runs, stream of the runs' values, stream of their lengths (longs)

namespace evq {
namespace {

class RunLength final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kRunLength; }
  std::string_view name() const override { return "run length"; }
  bool accepts(Type type) const override { return physical_of(type) == Physical::kInt64; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* integers = values.data<std::int64_t>();
    std::vector<std::int64_t> runs{integers[0]};
    std::vector<std::int64_t> lengths{1};
    for (std::size_t i = 1; i < values.size; ++i) {
      if (integers[i] == runs.back()) {
        ++lengths.back();
      } else {
        runs.push_back(integers[i]);
        lengths.push_back(1);
      }
    }
    // More runs than half the rows would nest run lengths in run lengths for nothing.
    if (runs.size() > values.size / 2 + 1) {
      return false;
    }
    out.varint(runs.size());
    encode_stream({values.type, runs.size(), runs.data()}, options, out);
    encode_stream({Type::kLong, lengths.size(), lengths.data()}, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::uint64_t runs = in.varint();
    if (!in.ok() || runs > request.size) {
      return corrupt_segment("there are more runs than rows");
    }
    EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, request.inner(request.type, runs)));
    EVQ_TRY_ASSIGN(const Vector coded_lengths, decode_stream(in, request.inner(Type::kLong, runs)));
    const Vector values = coded.flatten();
    const Vector lengths = coded_lengths.flatten();
    auto out = Values::make(request.type, request.rows.count);
    auto* integers = out->mutable_data<std::int64_t>();
    std::size_t end = 0;
    std::size_t taken = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      const auto length = static_cast<std::uint64_t>(lengths.at<std::int64_t>(run));
      if (length > request.size - end) {
        return corrupt_segment("runs are longer than the column");
      }
      const std::size_t begin = end;
      end += length;
      const auto value = values.at<std::int64_t>(run);
      if (taken < request.rows.count && request.rows[taken] < end) {
        taken = take_rows(request.rows, taken, begin, end,
                          [&](std::size_t, std::size_t count, std::size_t to) {
                            std::fill_n(integers + to, count, value);
                          });
      }
    }
    if (end != request.size) {
      return corrupt_segment("runs are shorter than the column");
    }
    return Vector::flat(std::move(out));
  }
};

}  // namespace

const ColumnEncoding& run_length() {
  static const RunLength kEncoding;
  return kEncoding;
}

}  // namespace evq
