#include "http/protobuf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "http/framing.h"
#include "http/limits.h"
#include "http/message.h"
#include "store/base/ascii.h"
#include "store/base/base64.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

// https://protobuf.dev/programming-guides/encoding/#structure
enum WireType : std::uint32_t {
  kVarint = 0,
  kWire64 = 1,
  kLengthDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kWire32 = 5,
};

struct Entry {
  std::uint32_t number;
  std::uint32_t wire;
  std::uint64_t bits;
  const char* data;
  std::size_t size;

  std::string_view bytes() const { return {data, size}; }
};

bool read_varint(std::string_view* rest, std::uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest->empty()) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(rest->front());
    rest->remove_prefix(1);
    *value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) {
      return true;
    }
  }
  return false;
}

bool read_fixed(std::string_view* rest, std::size_t size, std::uint64_t* value) {
  if (rest->size() < size) {
    return false;
  }
  *value = 0;
  std::memcpy(value, rest->data(), size);  // both are little endian
  rest->remove_prefix(size);
  return true;
}

// A record as it stands: of a group its first or its last tag alone.
bool read_record(std::string_view* rest, Entry* entry) {
  std::uint64_t tag = 0;
  if (!read_varint(rest, &tag) || (tag >> 3U) == 0 || (tag >> 3U) > UINT32_MAX) {
    return false;
  }
  entry->number = static_cast<std::uint32_t>(tag >> 3U);
  entry->wire = static_cast<std::uint32_t>(tag & 7U);
  switch (entry->wire) {
    case kVarint:
      return read_varint(rest, &entry->bits);
    case kWire64:
      return read_fixed(rest, 8, &entry->bits);
    case kWire32:
      return read_fixed(rest, 4, &entry->bits);
    case kLengthDelimited: {
      std::uint64_t size = 0;
      if (!read_varint(rest, &size) || size > rest->size()) {
        return false;
      }
      entry->data = rest->data();
      entry->size = size;
      rest->remove_prefix(size);
      return true;
    }
    case kStartGroup:
    case kEndGroup:
      return true;
    default:
      return false;
  }
}

// Passes over the rest of a group, whose first tag has been read. No table has groups.
bool skip_group(std::string_view* rest, std::uint32_t number) {
  std::vector<std::uint32_t> open = {number};
  while (!open.empty()) {
    Entry entry{};
    if (!read_record(rest, &entry)) {
      return false;
    }
    if (entry.wire == kStartGroup) {
      if (open.size() == kJsonDepthMax) {
        return false;
      }
      open.push_back(entry.number);
    } else if (entry.wire == kEndGroup) {
      if (entry.number != open.back()) {
        return false;
      }
      open.pop_back();
    }
  }
  return true;
}

// The next field of a message, or a whole group.
bool read_entry(std::string_view* rest, Entry* entry) {
  return read_record(rest, entry) && entry->wire != kEndGroup &&
         (entry->wire != kStartGroup || skip_group(rest, entry->number));
}

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  append_hex(bytes, &text);
  return text;
}

std::uint32_t wire_of(ProtoKind kind) {
  switch (kind) {
    case ProtoKind::kInteger:
    case ProtoKind::kBool:
      return kVarint;
    case ProtoKind::kFixed64:
    case ProtoKind::kReal:
      return kWire64;
    case ProtoKind::kText:
    case ProtoKind::kHex:
    case ProtoKind::kBytes:
    case ProtoKind::kMessage:
      break;
  }
  return kLengthDelimited;
}

bool fits(const Entry& entry, const ProtoField& field) {
  return entry.number == field.number && entry.wire == wire_of(field.kind);
}

// The entries that count of a message, by the fields of its table: of each the last, or of a oneof
// the last of all. The pieces of a message that is given several times are one message, which their
// bytes one after the other are as well.
class Entries {
 public:
  explicit Entries(const ProtoMessage& message) : message_(message) {}

  bool has(std::size_t place) const { return (present_ >> place & 1U) != 0; }
  const Entry& at(std::size_t place) const { return entries_.at(place); }

  void add(std::size_t place, const Entry& entry) {
    const ProtoField& field = message_.fields[place];
    if (has(place) && field.kind == ProtoKind::kMessage && !field.repeated) {
      bytes_of(place).append(entry.bytes());
      return;
    }
    if (message_.one_of && !has(place)) {
      present_ = 0;
      joined_.clear();
    }
    present_ |= 1U << place;
    entries_.at(place) = entry;
  }

  // Makes the entries that were joined available; returns how many bytes they have.
  std::size_t finish() {
    std::size_t size = 0;
    for (const Joined& joined : joined_) {
      entries_.at(joined.place).data = joined.bytes.data();
      entries_.at(joined.place).size = joined.bytes.size();
      size += joined.bytes.size();
    }
    return size;
  }

 private:
  struct Joined {
    std::size_t place;
    std::string bytes;
  };

  std::string& bytes_of(std::size_t place) {
    const auto joined = std::ranges::find(joined_, place, &Joined::place);
    return joined != joined_.end()
               ? joined->bytes
               : joined_.emplace_back(Joined{place, std::string(entries_.at(place).bytes())}).bytes;
  }

  const ProtoMessage& message_;
  std::uint32_t present_ = 0;  // a bit for each
  std::array<Entry, kProtoFieldsMax> entries_;
  std::vector<Joined> joined_;
};
static_assert(kProtoFieldsMax <= 32);

// Reads messages into a builder. All functions return false for what is no message, or one of more
// than a limit, which past_limit() names then.
class Reader {
 public:
  explicit Reader(DynamicBuilder* out) : out_(*out) {}

  const std::string& past_limit() const { return past_limit_; }

  bool add_message(std::string_view bytes, const ProtoMessage& message, std::size_t depth) {
    Entries entries(message);
    if (depth > kProtoDepthMax || !find_entries(bytes, message, &entries)) {
      return false;
    }
    joined_bytes_ += entries.finish();
    if (joined_bytes_ > kProtobufJoinedBytesMax) {
      past_limit_ = "messages in pieces of more than " + size_text(kProtobufJoinedBytesMax);
      return false;
    }
    out_.begin_bag();
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
      const ProtoField& field = message.fields[i];
      if (!entries.has(i)) {
        continue;
      }
      out_.key(field.name);
      const bool added =
          field.repeated ? add_list(bytes, field, depth) : add_value(entries.at(i), field, depth);
      if (!added) {
        return false;
      }
    }
    out_.end_bag();
    return true;
  }

 private:
  // Entries of lists are not kept, since one of two bytes would take many times that: repeated
  // fields are read again.
  bool find_entries(std::string_view bytes, const ProtoMessage& message, Entries* entries) {
    std::size_t known = 0;
    while (!bytes.empty()) {
      Entry entry{};
      if (!read_entry(&bytes, &entry)) {
        return false;
      }
      const auto field = std::ranges::find_if(
          message.fields, [&](const ProtoField& each) { return fits(entry, each); });
      if (field == message.fields.end()) {
        continue;
      }
      if (++known > kProtobufFieldsMax) {
        past_limit_ = "a message of more than " + std::to_string(kProtobufFieldsMax) +
                      " fields or entries of lists";
        return false;
      }
      entries->add(static_cast<std::size_t>(field - message.fields.begin()), entry);
    }
    return true;
  }

  bool add_list(std::string_view bytes, const ProtoField& field, std::size_t depth) {
    out_.begin_array();
    Entry entry{};
    while (!bytes.empty()) {
      if (!read_entry(&bytes, &entry) || (fits(entry, field) && !add_value(entry, field, depth))) {
        return false;
      }
    }
    out_.end_array();
    return true;
  }

  bool add_value(const Entry& entry, const ProtoField& field, std::size_t depth) {
    switch (field.kind) {
      case ProtoKind::kText:
        out_.add_string(entry.bytes());
        return true;
      case ProtoKind::kHex:
        out_.add_string(hex(entry.bytes()));
        return true;
      case ProtoKind::kBytes:
        out_.add_string(base64_encode(entry.bytes()));
        return true;
      case ProtoKind::kFixed64:
        if (entry.bits > static_cast<std::uint64_t>(INT64_MAX)) {
          out_.add_string(std::to_string(entry.bits));
          return true;
        }
        [[fallthrough]];
      case ProtoKind::kInteger:
        out_.add_long(static_cast<std::int64_t>(entry.bits));
        return true;
      case ProtoKind::kBool:
        out_.add_bool(entry.bits != 0);
        return true;
      case ProtoKind::kReal:
        out_.add_real(std::bit_cast<double>(entry.bits));
        return true;
      case ProtoKind::kMessage:
        return add_message(entry.bytes(), *field.message, depth + 1);
    }
    return false;
  }

  DynamicBuilder& out_;
  std::size_t joined_bytes_ = 0;
  std::string past_limit_;  // empty: the message is within all of them
};

void append_varint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80U; value >>= 7U) {
    out->push_back(static_cast<char>(value | 0x80U));
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace

Result<std::string> dynamic_from_proto(std::string_view bytes, const ProtoMessage& message) {
  DynamicBuilder builder;
  Reader reader(&builder);
  if (reader.add_message(bytes, message, 0)) {
    return builder.take();
  }
  if (!reader.past_limit().empty()) {
    return make_error(ErrorCode::kTooLarge, "the request has " + reader.past_limit(),
                      "send the events in several requests");
  }
  return make_error(ErrorCode::kData, "it is no message");
}

bool is_protobuf(const HttpRequest& request) {
  const std::string type = media_type(request);
  return type == kProtobufType || type == "application/protobuf";
}

void append_proto_varint(std::uint32_t number, std::uint64_t value, std::string* out) {
  append_varint(std::uint64_t{number} << 3U | kVarint, out);
  append_varint(value, out);
}

void append_proto_bytes(std::uint32_t number, std::string_view value, std::string* out) {
  append_varint(std::uint64_t{number} << 3U | kLengthDelimited, out);
  append_varint(value.size(), out);
  out->append(value);
}

}  // namespace evq
