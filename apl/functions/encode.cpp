// Encodings of texts and bytes: base64, percent coding, code points, compressed texts, and UUIDs.

#include <array>

#include <zlib.h>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/base64.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/percent_coding.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// ---- base64

MaybeText base64_decode_text(std::string_view text) {
  MaybeText bytes = base64_decode(text);
  if (!bytes.has_value() || !is_valid_utf8(*bytes)) {
    return std::nullopt;
  }
  return bytes;
}

DynamicBytes base64_decode_array(std::string_view text) {
  DynamicBuilder builder;
  builder.begin_array();
  for (const char c : base64_decode(text).value_or("")) {
    builder.add_long(static_cast<unsigned char>(c));
  }
  builder.end_array();
  return {builder.take()};
}

std::string base64_encode_array(DynamicView array) {
  std::string bytes;
  DynamicView::Iterator elements(array);
  while (elements.next()) {
    const DynamicView element = elements.value();
    if (element.tag() != DynamicTag::kLong || element.as_integer() < 0 ||
        element.as_integer() > 255) {
      return {};
    }
    bytes.push_back(static_cast<char>(element.as_integer()));
  }
  return base64_encode(bytes);
}

// ---- percent coding

std::string url_encode(std::string_view text) {
  return percent_encode(text, kStringValueBytesMax);
}
std::string url_decode(std::string_view text) {
  return percent_decode(text, PlusSign::kBlank);
}

// ---- code points

DynamicBytes code_points_of_text(std::string_view text) {
  DynamicBuilder builder;
  builder.begin_array();
  PollCounter poll;
  for (std::size_t at = 0; at < text.size();) {
    poll.add();
    builder.add_long(static_cast<std::int64_t>(next_code_point(text, at)));
  }
  builder.end_array();
  return {builder.take()};
}

bool append_number(DynamicView number, std::string* out) {
  if (number.tag() != DynamicTag::kLong || number.as_integer() < 0 ||
      number.as_integer() > 0x10FFFF) {
    return false;
  }
  const auto point = static_cast<char32_t>(number.as_integer());
  if (point >= 0xD800 && point <= 0xDFFF) {  // half of a pair of UTF-16
    return false;
  }
  append_code_point(*out, point);
  return true;
}

MaybeText text_of_code_points(DynamicView array) {
  std::string out;
  if (!array.is_array()) {
    return append_number(array, &out) ? MaybeText(out) : std::nullopt;
  }
  DynamicView::Iterator elements(array);
  while (elements.next()) {
    if (!append_number(elements.value(), &out)) {
      return std::nullopt;
    }
  }
  return out;
}

class MakeStringCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    auto out = Values::make(Type::kString, rows);
    auto arena = std::make_shared<StringArena>();
    auto* to = out->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < rows; ++i) {
      std::string text;
      bool valid = true;
      for (const Vector& arg : args) {
        const MaybeText part = arg.is_null(i)
                                   ? MaybeText()
                                   : text_of_code_points(DynamicView(arg.at<std::string_view>(i)));
        valid = valid && part.has_value() && text.size() <= kStringValueBytesMax;
        text.append(valid ? *part : "");
      }
      if (valid && text.size() <= kStringValueBytesMax) {
        to[i] = arena->copy(text);
      } else {
        out->set_null(i);
      }
    }
    out->add_owner(std::move(arena));
    return Vector::flat(std::move(out));
  }
};

BindResult bind_make_string(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kString;
  call.arguments.assign(request.arguments.size(), Type::kDynamic);
  call.function = std::make_shared<MakeStringCall>();
  return call;
}

// ---- compression

// zlib's numbers for the two wrappings of a deflated stream.
constexpr int kZlibWindow = 15;
constexpr int kGzipWindow = 15 + 16;

template <int kWindow>
MaybeText compress(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return done ? MaybeText(base64_encode(out)) : std::nullopt;
}

// Nothing for bytes that are no such stream, or unpack to more than one value may hold.
template <int kWindow>
MaybeText decompress(std::string_view text) {
  const MaybeText packed = base64_decode(text);
  z_stream stream{};
  if (!packed.has_value() || inflateInit2(&stream, kWindow) != Z_OK) {
    return std::nullopt;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed->data()));
  stream.avail_in = static_cast<uInt>(packed->size());
  std::string out;
  std::array<char, 16384> buffer{};
  int status = Z_OK;
  while (status == Z_OK && out.size() <= kStringValueBytesMax) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out.size() > kStringValueBytesMax || !is_valid_utf8(out)) {
    return std::nullopt;
  }
  return out;
}

// ---- UUIDs

constexpr std::size_t kGuidBytes = 16;
// Where the bytes of the text form stand in base64: the first three groups are little endian.
constexpr std::array<std::size_t, kGuidBytes> kGuidOrder = {3, 2, 1,  0,  5,  4,  7,  6,
                                                            8, 9, 10, 11, 12, 13, 14, 15};

// The bytes of the first 32 digits, dashes anywhere and braces left out; nothing when there are not
// so many.
MaybeText guid_bytes(std::string_view text) {
  if (text.starts_with('{') && text.ends_with('}')) {
    text = text.substr(1, text.size() - 2);
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size() && digits.size() < 2 * kGuidBytes; ++i) {
    if (text[i] == '-') {
      continue;
    }
    if (hex_digit(text[i]) < 0) {
      return std::nullopt;
    }
    digits.push_back(text[i]);
  }
  if (digits.size() != 2 * kGuidBytes) {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(hex_digit(digits[i]) * 16 + hex_digit(digits[i + 1])));
  }
  return bytes;
}

std::string guid_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text.push_back('-');
    }
    append_hex(bytes.substr(i, 1), &text);
  }
  return text;
}

std::string reordered_guid(std::string_view bytes) {
  std::string ordered;
  for (const std::size_t from : kGuidOrder) {
    ordered.push_back(bytes[from]);
  }
  return ordered;
}

MaybeText to_guid(std::string_view text) {
  const MaybeText bytes = guid_bytes(text);
  return bytes.has_value() ? MaybeText(guid_text(*bytes)) : std::nullopt;
}
MaybeText base64_decode_guid(std::string_view text) {
  const MaybeText bytes = base64_decode(text);
  return bytes.has_value() && bytes->size() == kGuidBytes
             ? MaybeText(guid_text(reordered_guid(*bytes)))
             : std::nullopt;
}
MaybeText base64_encode_guid(std::string_view guid) {
  const MaybeText bytes = guid_bytes(guid);
  return bytes.has_value() ? MaybeText(base64_encode(reordered_guid(*bytes))) : std::nullopt;
}

// A random UUID (version 4) a row. Not for secrets: one tells much about the next.
class NewGuidCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> /*args*/,
                  std::size_t rows) const override {
    auto out = Values::make(Type::kString, rows);
    auto arena = std::make_shared<StringArena>();
    auto* to = out->mutable_data<std::string_view>();
    const std::uint64_t seed = random_seed();
    const std::uint64_t other_seed = random_seed();
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t high = (hash64(i, seed) & ~0xF000ULL) | 0x4000ULL;
      const std::uint64_t low = (hash64(i, other_seed) & ~(3ULL << 62U)) | (2ULL << 62U);
      std::string text;
      for (std::size_t digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) {
          text.push_back('-');
        }
        const std::uint64_t half = digit < 16 ? high : low;
        text.push_back(kHexDigits[(half >> (60 - 4 * (digit % 16))) & 15U]);
      }
      to[i] = arena->copy(text);
    }
    out->add_owner(std::move(arena));
    return Vector::flat(std::move(out));
  }
};

BindResult bind_new_guid(const BindRequest& /*request*/) {
  BoundCall call;
  call.result = Type::kString;
  call.function = std::make_shared<NewGuidCall>();
  return call;
}

constexpr ParameterDoc kEncodedText{"text", "The text."};
constexpr ParameterDoc kBase64{"text", "Base64, with or without padding, of either alphabet."};

constexpr std::array<ScalarFunction, 16> kEncodeFunctions = {{
    {.name = "base64_decode_toarray",
     .category = "string",
     .summary = "Decodes base64 into an array of bytes.",
     .params = {{kBase64}},
     .returns = "dynamic array of numbers; empty when the text is not base64.",
     .examples = {{{"print base64_decode_toarray('S3Vz')", "[75,117,115]"}}},
     .overloads = {lift<base64_decode_array>()}},
    {.name = "base64_decode_toguid",
     .category = "string",
     .summary = "Decodes base64 to a UUID, whose first three groups are stored little endian.",
     .params = {{kBase64}},
     .returns = "string; null when it is not base64 of 16 bytes.",
     .examples = {{{"print base64_decode_toguid('8jMxriJurkmwahbmqbIS6w==')",
                    "ae3133f2-6e22-49ae-b06a-16e6a9b212eb"}}},
     .overloads = {lift<base64_decode_guid>()}},
    {.name = "base64_decode_tostring",
     .aliases = {"base64_decodestring"},
     .category = "string",
     .summary = "Decodes base64 into text.",
     .params = {{kBase64}},
     .returns = "string; null when the text is not base64 or the bytes are not UTF-8.",
     .examples = {{{"print base64_decode_tostring('S3VzdG8=')", "Kusto"}}},
     .overloads = {lift<base64_decode_text>()}},
    {.name = "base64_encode_fromarray",
     .category = "string",
     .summary = "Encodes an array of bytes as base64.",
     .params = {{{"bytes", "An array of numbers from 0 to 255."}}},
     .returns = "string; empty when an element is not a byte.",
     .examples = {{{"print base64_encode_fromarray(dynamic([75, 117, 115]))", "S3Vz"}}},
     .overloads = {lift<base64_encode_array>()}},
    {.name = "base64_encode_fromguid",
     .category = "string",
     .summary = "Encodes a UUID as base64, its first three groups little endian.",
     .params = {{{"guid", "A UUID as text."}}},
     .returns = "string; null when it is no UUID.",
     .examples = {{{"print base64_encode_fromguid('ae3133f2-6e22-49ae-b06a-16e6a9b212eb')",
                    "8jMxriJurkmwahbmqbIS6w=="}}},
     .overloads = {lift<base64_encode_guid>()}},
    {.name = "base64_encode_tostring",
     .aliases = {"base64_encodestring"},
     .category = "string",
     .summary = "Encodes a text as base64.",
     .params = {{kEncodedText}},
     .returns = "string.",
     .examples = {{{"print base64_encode_tostring('Kusto')", "S3VzdG8="}}},
     .overloads = {lift<base64_encode>()}},
    {.name = "gzip_compress_to_base64_string",
     .category = "string",
     .summary = "Compresses a text with gzip and encodes the bytes as base64.",
     .params = {{kEncodedText}},
     .returns = "string.",
     .examples = {{{"print gzip_decompress_from_base64_string("
                    "gzip_compress_to_base64_string('abc'))",
                    "abc"}}},
     .overloads = {lift<compress<kGzipWindow>>()}},
    {.name = "gzip_decompress_from_base64_string",
     .category = "string",
     .summary = "Decodes base64 and unpacks the gzip stream in it.",
     .params = {{kBase64}},
     .returns = "string; null when it is no such stream, or not text.",
     .examples = {{{"print isnull(gzip_decompress_from_base64_string('abcd'))", "true"}}},
     .overloads = {lift<decompress<kGzipWindow>>()}},
    {.name = "new_guid",
     .category = "string",
     .summary = "Makes a random UUID, another one for each row.",
     .returns = "string.",
     .examples = {{{"print strlen(new_guid())", "36"}}},
     .bind = bind_new_guid,
     .arguments_max = 0,
     .flags = FunctionFlags::kPerRow},
    {.name = "toguid",
     .category = "conversion",
     .summary = "Gives a UUID its usual form: lower case, with dashes.",
     .params = {{{"text",
                  "32 hexadecimal digits, with or without dashes and braces; what "
                  "follows does not count."}}},
     .returns = "string; null when it is no UUID.",
     .examples = {{{"print toguid('{70FC66F7-8279-44FC-9092-D364D70FCE44}')",
                    "70fc66f7-8279-44fc-9092-d364d70fce44"}}},
     .overloads = {lift<to_guid>()}},
    {.name = "unicode_codepoints_from_string",
     .aliases = {"to_utf8"},
     .category = "string",
     .summary = "Gives the code points of a text's characters.",
     .params = {{kEncodedText}},
     .returns = "dynamic array of numbers.",
     .examples = {{{"print unicode_codepoints_from_string('Kus')", "[75,117,115]"}}},
     .overloads = {lift<code_points_of_text>()}},
    {.name = "unicode_codepoints_to_string",
     .aliases = {"make_string"},
     .category = "string",
     .summary = "Makes a text of code points.",
     .params = {{{"codes...", "Arrays of numbers, or numbers."}}},
     .returns = "string; null when an element is no code point.",
     .examples = {{{"print unicode_codepoints_to_string(dynamic([75, 117, 115]))", "Kus"}}},
     .bind = bind_make_string,
     .arguments_min = 1,
     .arguments_max = 64},
    {.name = "url_decode",
     .category = "string",
     .summary = "Decodes percent coding; + is a blank.",
     .params = {{kEncodedText}},
     .returns = "string.",
     .examples = {{{"print url_decode('a%20b%2Fc')", "a b/c"}}},
     .overloads = {lift<url_decode>()}},
    {.name = "url_encode",
     .aliases = {"url_encode_component"},
     .category = "string",
     .summary = "Encodes a text so that it can stand anywhere in a URL.",
     .params = {{kEncodedText}},
     .returns = "string.",
     .examples = {{{"print url_encode('a b/c')", "a%20b%2Fc"}}},
     .overloads = {lift<url_encode>()}},
    {.name = "zlib_compress_to_base64_string",
     .category = "string",
     .summary = "Compresses a text with zlib and encodes the bytes as base64.",
     .params = {{kEncodedText}},
     .returns = "string.",
     .examples = {{{"print zlib_decompress_from_base64_string("
                    "zlib_compress_to_base64_string('abc'))",
                    "abc"}}},
     .overloads = {lift<compress<kZlibWindow>>()}},
    {.name = "zlib_decompress_from_base64_string",
     .category = "string",
     .summary = "Decodes base64 and unpacks the zlib stream in it.",
     .params = {{kBase64}},
     .returns = "string; null when it is no such stream, or not text.",
     .examples = {{{"print isnull(zlib_decompress_from_base64_string('abcd'))", "true"}}},
     .overloads = {lift<decompress<kZlibWindow>>()}},
}};

}  // namespace

std::span<const ScalarFunction> encode_functions() {
  return kEncodeFunctions;
}

}  // namespace evq
