#include "http/protobuf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "http/message.h"
#include "store/base/base64.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

// Known fields of one message, repetitions counted.
constexpr std::size_t kEntriesMax = std::size_t{1} << 20U;

enum WireType : std::uint32_t { kVarint = 0, kWire64 = 1, kLengthDelimited = 2, kWire32 = 5 };

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

bool read_entry(std::string_view* rest, Entry* entry) {
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
    default:
      return false;
  }
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(bytes.size() * 2, '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text[2 * i] = kDigits[byte >> 4U];
    text[2 * i + 1] = kDigits[byte & 15U];
  }
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

bool add_message(std::string_view bytes, const ProtoMessage& message, std::size_t depth,
                 DynamicBuilder* out);

bool add_value(const Entry& entry, const ProtoField& field, std::size_t depth,
               DynamicBuilder* out) {
  switch (field.kind) {
    case ProtoKind::kText:
      out->add_string(entry.bytes());
      return true;
    case ProtoKind::kHex:
      out->add_string(hex(entry.bytes()));
      return true;
    case ProtoKind::kBytes:
      out->add_string(base64_encode(entry.bytes()));
      return true;
    case ProtoKind::kFixed64:
      if (entry.bits > static_cast<std::uint64_t>(INT64_MAX)) {
        out->add_string(std::to_string(entry.bits));
        return true;
      }
      [[fallthrough]];
    case ProtoKind::kInteger:
      out->add_long(static_cast<std::int64_t>(entry.bits));
      return true;
    case ProtoKind::kBool:
      out->add_bool(entry.bits != 0);
      return true;
    case ProtoKind::kReal:
      out->add_real(std::bit_cast<double>(entry.bits));
      return true;
    case ProtoKind::kMessage:
      return add_message(entry.bytes(), *field.message, depth + 1, out);
  }
  return false;
}

bool fits(const Entry& entry, const ProtoField& field) {
  return entry.number == field.number && entry.wire == wire_of(field.kind);
}

// The entries of a message by the fields of its table.
struct Entries {
  std::uint32_t present = 0;  // a bit for each
  std::array<Entry, kProtoFieldsMax> entries;
};
static_assert(kProtoFieldsMax <= 32);

// The last entry of each field of the table, in its order, or of all fields of a oneof; false for
// what is no message. Entries are not kept, since one of two bytes would take many times that:
// repeated fields are read again.
bool find_last_entries(std::string_view bytes, const ProtoMessage& message, Entries* last) {
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
    if (++known > kEntriesMax) {
      return false;
    }
    const auto place = static_cast<std::size_t>(field - message.fields.begin());
    last->entries.at(place) = entry;
    last->present = (message.one_of ? 0U : last->present) | 1U << place;
  }
  return true;
}

bool add_list(std::string_view bytes, const ProtoField& field, std::size_t depth,
              DynamicBuilder* out) {
  out->begin_array();
  Entry entry{};
  while (!bytes.empty()) {
    if (!read_entry(&bytes, &entry) ||
        (fits(entry, field) && !add_value(entry, field, depth, out))) {
      return false;
    }
  }
  out->end_array();
  return true;
}

bool add_message(std::string_view bytes, const ProtoMessage& message, std::size_t depth,
                 DynamicBuilder* out) {
  if (depth > kJsonDepthMax) {
    return false;
  }
  Entries last;
  if (!find_last_entries(bytes, message, &last)) {
    return false;
  }
  out->begin_bag();
  for (std::size_t i = 0; i < message.fields.size(); ++i) {
    const ProtoField& field = message.fields[i];
    if ((last.present >> i & 1U) == 0) {
      continue;
    }
    const Entry& entry = last.entries.at(i);
    out->key(field.name);
    const bool added =
        field.repeated ? add_list(bytes, field, depth, out) : add_value(entry, field, depth, out);
    if (!added) {
      return false;
    }
  }
  out->end_bag();
  return true;
}

void append_varint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80U; value >>= 7U) {
    out->push_back(static_cast<char>(value | 0x80U));
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace

std::optional<std::string> dynamic_from_proto(std::string_view bytes, const ProtoMessage& message) {
  DynamicBuilder builder;
  if (!add_message(bytes, message, 0, &builder)) {
    return std::nullopt;
  }
  return builder.take();
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
