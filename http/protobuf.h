#pragma once
// Protocol Buffers messages as dynamic values, by a table of the fields that matter: each message
// becomes a bag with the names of its JSON form, so that one mapping serves both forms. Fields that
// are not in the table are skipped, groups with them, and a message that is given in several pieces
// is put together, as the format wants.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "store/base/limits.h"
#include "store/base/result.h"

namespace evq {

struct HttpRequest;

inline constexpr const char* kProtobufType = "application/x-protobuf";
// Whether the body is said to be a message.
bool is_protobuf(const HttpRequest& request);

enum class ProtoKind : std::uint8_t {
  kText,     // string
  kHex,      // bytes, as hexadecimal text; of the JSON form just so many, or none
  kBytes,    // bytes, as base64 text
  kInteger,  // varint: int32, int64, uint32, enum
  kBool,     // varint
  kFixed64,  // fixed64, as a number, or as text where int64 does not have it
  kReal,     // double
  kMessage,
};

struct ProtoMessage;

struct ProtoField {
  std::uint32_t number = 0;
  std::string_view name;
  ProtoKind kind = ProtoKind::kText;
  bool repeated = false;
  const ProtoMessage* message = nullptr;  // of kMessage
  std::size_t hex_bytes = 0;              // of kHex
};

inline constexpr std::size_t kProtoFieldsMax = 12;

struct ProtoMessage {
  std::span<const ProtoField> fields;  // at most kProtoFieldsMax
  bool one_of = false;                 // the fields are those of a oneof, and there are no others
};

// Messages within messages. An event of as many levels as an event may have takes up to three for
// each; one of more is refused alone.
inline constexpr std::size_t kProtoDepthMax = 4 * kJsonDepthMax;

// The bytes of a dynamic bag. kData when the message is malformed or nested deeper than
// kProtoDepthMax; kTooLarge, which names the limit, when it has more than kProtobufFieldsMax fields
// of the table, or pieces of messages of more than kProtobufJoinedBytesMax in all.
Result<std::string> dynamic_from_proto(std::string_view bytes, const ProtoMessage& message);

// A field of a message that is written: an integer, or text, bytes or a message.
void append_proto_varint(std::uint32_t number, std::uint64_t value, std::string* out);
void append_proto_bytes(std::uint32_t number, std::string_view value, std::string* out);

}  // namespace evq
