#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/base/limits.h"
#include "store/base/release_memory.h"
#include "store/column/dynamic.h"
#include "store/encoding/byte_string.h"
#include "store/encoding/schemes.h"

// String frames: the bytes of about kFrameBytes of neighbouring values compressed together, each
// frame on its own, so that a few rows cost only their frames; by zstd, or, in light frames, by
// LZ4.
//
//   varint values a frame (the last may have fewer), stream of lengths (longs)
//   for each frame: varint raw size, varint stored size (0: stored raw)
//   the frames' bytes

namespace evq {
namespace {

constexpr std::size_t kFrameBytes = 192 * kKibibyte;
constexpr std::size_t kFrameValuesMax = 4096;
constexpr std::size_t kFrameValuesMin = 1;
constexpr int kFrameGainPercentMin = 5;

struct Codec {
  EncodingId id;
  std::string_view name;
  bool (*compress)(std::string_view raw, int level, std::string& out);
  Status (*decompress)(std::string_view stored, char* to, std::size_t raw_size);
};

struct Frame {
  std::size_t raw_size = 0;
  std::string_view stored;
  bool compressed = false;
};

std::size_t values_a_frame(const std::string_view* texts, std::size_t size) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    total += texts[i].size();
  }
  const std::size_t mean = total / std::max(size, std::size_t{1}) + 1;
  return std::clamp(kFrameBytes / mean, kFrameValuesMin, kFrameValuesMax);
}

Status unpack_frame(const Codec& codec, const Frame& frame, char* to) {
  if (frame.compressed) {
    return codec.decompress(frame.stored, to, frame.raw_size);
  }
  if (!frame.stored.empty()) {
    std::memcpy(to, frame.stored.data(), frame.stored.size());
  }
  return {};
}

// Points views at the values of one frame; false when their lengths do not fill it.
bool place_views(const char* text, std::size_t raw_size, const std::int64_t* lengths,
                 std::size_t count, std::string_view* views) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::uint64_t>(lengths[i]);
    if (length > raw_size - offset) {
      return false;
    }
    views[i] = {text + offset, length};
    offset += length;
  }
  return offset == raw_size;
}

bool valid_dynamics(const std::string_view* views, std::size_t count) {
  return std::all_of(views, views + count, [](std::string_view bytes) {
    return validate_dynamic(bytes) && !DynamicView(bytes).is_null();
  });
}

// Frames to be written when the sizes of all of them are: in pieces, so that moving them takes
// no second copy of a column that does not compress.
class StoredFrames {
 public:
  // The compressed size; 0: stored raw.
  std::size_t add(const Codec& codec, std::string_view raw, int level) {
    if (pieces_.back().size() >= kPieceBytes) {
      pieces_.emplace_back();
    }
    std::string& piece = pieces_.back();
    const std::size_t before = piece.size();
    const bool pays = codec.compress(raw, level, piece);
    if (!pays) {
      piece.append(raw);
    }
    size_ += piece.size() - before;
    return pays ? piece.size() - before : 0;
  }
  void move_to(ByteWriter& out) {
    out.reserve(out.size() + size_);
    for (std::string& piece : pieces_) {
      out.raw(piece);
      release_memory(piece);
    }
  }

 private:
  static constexpr std::size_t kPieceBytes = 1 * kMebibyte;

  std::vector<std::string> pieces_ = std::vector<std::string>(1);
  std::size_t size_ = 0;
};

// Whether each text begins where the one before ends.
bool lie_in_one_run(std::span<const std::string_view> texts) {
  const auto parted = [](std::string_view text, std::string_view next) {
    return text.data() + text.size() != next.data();
  };
  return std::ranges::adjacent_find(texts, parted) == texts.end();
}

// Frames that are not compressed go where they belong at once.
void write_raw_frames(std::span<const std::string_view> texts, std::size_t per_frame,
                      ByteWriter& out) {
  std::size_t total = 0;
  for (std::size_t begin = 0; begin < texts.size(); begin += per_frame) {
    std::size_t raw_size = 0;
    for (const std::string_view text :
         texts.subspan(begin, std::min(per_frame, texts.size() - begin))) {
      raw_size += text.size();
    }
    out.varint(raw_size);
    out.varint(0);
    total += raw_size;
  }
  out.reserve(out.size() + total);
  if (lie_in_one_run(texts)) {
    out.raw({texts.front().data(), total});
    return;
  }
  for (const std::string_view text : texts) {
    out.raw(text);
  }
}

class StringFrames final : public ColumnEncoding {
 public:
  explicit StringFrames(const Codec& codec) : codec_(codec) {}
  EncodingId id() const override { return codec_.id; }
  std::string_view name() const override { return codec_.name; }
  bool accepts(Type type) const override { return physical_of(type) == Physical::kView; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* texts = values.data<std::string_view>();
    const std::size_t per_frame = values_a_frame(texts, values.size);
    std::vector<std::int64_t> lengths(values.size);
    std::transform(texts, texts + values.size, lengths.begin(),
                   [](std::string_view text) { return static_cast<std::int64_t>(text.size()); });
    out.varint(per_frame);
    encode_stream({Type::kLong, lengths.size(), lengths.data()}, options, out);
    if (options.zstd_level == kUncompressed) {
      write_raw_frames({texts, values.size}, per_frame, out);
      return true;
    }
    std::string raw;
    StoredFrames stored;
    for (std::size_t begin = 0; begin < values.size; begin += per_frame) {
      const std::size_t end = std::min(values.size, begin + per_frame);
      raw.clear();
      for (std::size_t i = begin; i < end; ++i) {
        raw.append(texts[i]);
      }
      out.varint(raw.size());
      out.varint(stored.add(codec_, raw, options.zstd_level));
    }
    stored.move_to(out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::uint64_t per_frame = in.varint();
    if (!in.ok() || per_frame == 0 || per_frame > kBlockRowsMax) {
      return corrupt_segment("string frames have a bad header");
    }
    EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, request.inner(Type::kLong, request.size)));
    const Vector lengths = coded.flatten();
    std::vector<Frame> frames;
    EVQ_TRY(read_frames(in, (request.size + per_frame - 1) / per_frame, &frames));
    auto out = Values::make(request.type, request.rows.count);
    const auto* sizes = lengths.values().data<std::int64_t>();
    if (request.rows.is_all(request.size)) {
      EVQ_TRY(decode_all(frames, per_frame, sizes, *out));
    } else {
      EVQ_TRY(decode_some(frames, per_frame, sizes, request, *out));
    }
    if (request.type == Type::kDynamic &&
        !valid_dynamics(out->data<std::string_view>(), request.rows.count)) {
      return corrupt_segment("a stored value is no dynamic value");
    }
    return Vector::flat(std::move(out));
  }

 private:
  static Status read_frames(ByteReader& in, std::size_t count, std::vector<Frame>* frames) {
    std::vector<std::size_t> stored(count);
    std::size_t total = 0;
    frames->resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      Frame& frame = (*frames)[i];
      frame.raw_size = in.varint();
      stored[i] = in.varint();
      frame.compressed = stored[i] != 0;
      if (frame.raw_size > kBlockBytesMax - total) {
        return corrupt_segment("string frames are longer than a block can be");
      }
      total += frame.raw_size;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Frame& frame = (*frames)[i];
      frame.stored = in.take(frame.compressed ? stored[i] : frame.raw_size);
    }
    return in.ok() ? Status() : corrupt_segment("string frames end early");
  }

  Status decode_all(const std::vector<Frame>& frames, std::size_t per_frame,
                    const std::int64_t* lengths, Values& out) const {
    std::size_t total = 0;
    for (const Frame& frame : frames) {
      total += frame.raw_size;
    }
    auto text = std::make_shared_for_overwrite<char[]>(total);
    auto* views = out.mutable_data<std::string_view>();
    std::size_t offset = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const std::size_t begin = f * per_frame;
      EVQ_TRY(unpack_frame(codec_, frames[f], text.get() + offset));
      if (!place_views(text.get() + offset, frames[f].raw_size, lengths + begin,
                       std::min(per_frame, out.size() - begin), views + begin)) {
        return corrupt_segment("string lengths do not fill their frame");
      }
      offset += frames[f].raw_size;
    }
    out.set_contiguous_text({text.get(), total});
    out.add_owner({std::move(text), total});
    return {};
  }

  Status decode_some(const std::vector<Frame>& frames, std::size_t per_frame,
                     const std::int64_t* lengths, const DecodeRequest& request, Values& out) const {
    auto* views = out.mutable_data<std::string_view>();
    std::vector<std::string_view> all(std::min(per_frame, request.size));
    for (std::size_t i = 0; i < request.rows.count;) {
      const std::size_t f = request.rows[i] / per_frame;
      const std::size_t begin = f * per_frame;
      const std::size_t count = std::min(per_frame, request.size - begin);
      auto text = std::make_shared_for_overwrite<char[]>(frames[f].raw_size + 1);
      EVQ_TRY(unpack_frame(codec_, frames[f], text.get()));
      if (!place_views(text.get(), frames[f].raw_size, lengths + begin, count, all.data())) {
        return corrupt_segment("string lengths do not fill their frame");
      }
      i = take_rows(request.rows, i, begin, begin + count,
                    [&](std::size_t from, std::size_t n, std::size_t to) {
                      std::copy_n(all.data() + from, n, views + to);
                    });
      out.add_owner({std::move(text), frames[f].raw_size});
    }
    return {};
  }

  const Codec& codec_;
};

constexpr Codec kZstd{EncodingId::kStringFrames, "string frames",
                      [](std::string_view raw, int level, std::string& out) {
                        return compress_bytes(raw, level, kFrameGainPercentMin, out);
                      },
                      decompress_bytes};
constexpr Codec kLz4{EncodingId::kLightFrames, "light frames",
                     [](std::string_view raw, int /*level*/, std::string& out) {
                       return compress_light(raw, kFrameGainPercentMin, out);
                     },
                     decompress_light};

}  // namespace

const ColumnEncoding& string_frames() {
  static const StringFrames kEncoding(kZstd);
  return kEncoding;
}

const ColumnEncoding& light_frames() {
  static const StringFrames kEncoding(kLz4);
  return kEncoding;
}

}  // namespace evq
