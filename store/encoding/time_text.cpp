#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "store/encoding/schemes.h"

// Time text: strings that are all RFC 3339 instants in UTC, written with the same number of
// fraction digits ("2025-06-01T00:00:00.573Z"), are integers in disguise.
//
//   u8 fraction digits (0: no dot), stream of longs: units of that fraction since 1970

namespace evq {
namespace {

constexpr std::size_t kDateBytes = 10;    // 2025-06-01
constexpr std::size_t kSecondBytes = 19;  // 2025-06-01T00:00:00
constexpr std::size_t kFractionDigitsMax = 9;
constexpr std::int64_t kDaySeconds = 86400;
// Whole years in which every unit down to nanoseconds fits 64 bits.
constexpr int kYearMin = 1678;
constexpr int kYearMax = 2261;

// The number of `digits` digits at `text`, or -1.
int read_digits(const char* text, std::size_t digits) {
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) {
      return -1;
    }
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

void write_digits(int number, std::size_t digits, char* out) {
  for (std::size_t i = digits; i-- > 0; number /= 10) {
    out[i] = static_cast<char>('0' + number % 10);
  }
}

std::int64_t units_a_second(std::size_t digits) {
  std::int64_t units = 1;
  for (std::size_t i = 0; i < digits; ++i) {
    units *= 10;
  }
  return units;
}

// Fraction digits of a text of this size; nothing sensible fits other sizes.
bool fraction_digits(std::size_t size, std::size_t* digits) {
  if (size == kSecondBytes + 1) {
    *digits = 0;
    return true;
  }
  if (size < kSecondBytes + 3 || size > kSecondBytes + 2 + kFractionDigitsMax) {
    return false;
  }
  *digits = size - kSecondBytes - 2;
  return true;
}

// Reads texts of one form; remembers the last date, which mostly stays.
class TimeReader {
 public:
  explicit TimeReader(std::size_t digits) : digits_(digits), units_(units_a_second(digits)) {}

  bool read(const char* text, std::int64_t* value) {
    if (std::memcmp(text, date_.data(), kDateBytes) != 0 && !read_date(text)) {
      return false;
    }
    const int hour = read_digits(text + 11, 2);
    const int minute = read_digits(text + 14, 2);
    const int second = read_digits(text + 17, 2);
    if (text[10] != 'T' || text[13] != ':' || text[16] != ':' || hour < 0 || hour > 23 ||
        minute < 0 || minute > 59 || second < 0 || second > 59) {
      return false;
    }
    std::int64_t fraction = 0;
    const char* end = text + kSecondBytes;
    if (digits_ > 0) {
      fraction = read_digits(text + kSecondBytes + 1, digits_);
      if (*end != '.' || fraction < 0) {
        return false;
      }
      end += 1 + digits_;
    }
    if (*end != 'Z') {
      return false;
    }
    *value =
        (days_ * kDaySeconds + std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second) *
            units_ +
        fraction;
    return true;
  }

 private:
  bool read_date(const char* text) {
    const int year = read_digits(text, 4);
    const int month = read_digits(text + 5, 2);
    const int day = read_digits(text + 8, 2);
    if (text[4] != '-' || text[7] != '-' || year < kYearMin || year > kYearMax || month < 1 ||
        month > 12 || day < 1 || day > days_in_month(year, month)) {
      return false;
    }
    std::memcpy(date_.data(), text, kDateBytes);
    days_ = days_from_civil(year, month, day);
    return true;
  }

  std::size_t digits_;
  std::int64_t units_;
  std::array<char, kDateBytes> date_{'1', '9', '7', '0', '-', '0', '1', '-', '0', '1'};
  std::int64_t days_ = 0;  // of that date
};

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  const std::int64_t quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

class TimeWriter {
 public:
  explicit TimeWriter(std::size_t digits) : digits_(digits), units_(units_a_second(digits)) {}

  std::size_t text_bytes() const { return kSecondBytes + 1 + (digits_ > 0 ? digits_ + 1 : 0); }

  // False when the value is outside of the years of this scheme.
  bool write(std::int64_t value, char* out) {
    const std::int64_t seconds = floor_divide(value, units_);
    const std::int64_t day = floor_divide(seconds, kDaySeconds);
    if (day != day_ && !move_to(day)) {
      return false;
    }
    std::memcpy(out, date_.data(), kDateBytes);
    const auto of_day = static_cast<int>(seconds - day * kDaySeconds);
    out[10] = 'T';
    write_digits(of_day / 3600, 2, out + 11);
    out[13] = ':';
    write_digits(of_day / 60 % 60, 2, out + 14);
    out[16] = ':';
    write_digits(of_day % 60, 2, out + 17);
    char* end = out + kSecondBytes;
    if (digits_ > 0) {
      *end = '.';
      write_digits(static_cast<int>(value - seconds * units_), digits_, end + 1);
      end += 1 + digits_;
    }
    *end = 'Z';
    return true;
  }

 private:
  bool move_to(std::int64_t day) {
    if (day < days_from_civil(kYearMin, 1, 1) || day >= days_from_civil(kYearMax + 1, 1, 1)) {
      return false;
    }
    const Civil civil = civil_from_ns(day * kDayNs);
    write_digits(civil.year, 4, date_.data());
    date_[4] = '-';
    write_digits(civil.month, 2, date_.data() + 5);
    date_[7] = '-';
    write_digits(civil.day, 2, date_.data() + 8);
    day_ = day;
    return true;
  }

  std::size_t digits_;
  std::int64_t units_;
  std::array<char, kDateBytes> date_{};
  std::int64_t day_ = std::numeric_limits<std::int64_t>::min();
};

class TimeText final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kTimeText; }
  std::string_view name() const override { return "time text"; }
  bool accepts(Type type) const override { return type == Type::kString; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const auto* texts = values.data<std::string_view>();
    std::size_t digits = 0;
    if (!fraction_digits(texts[0].size(), &digits)) {
      return false;
    }
    TimeReader reader(digits);
    std::vector<std::int64_t> units(values.size);
    for (std::size_t i = 0; i < values.size; ++i) {
      if (texts[i].size() != texts[0].size() || !reader.read(texts[i].data(), &units[i])) {
        return false;
      }
    }
    out.u8(static_cast<std::uint8_t>(digits));
    encode_stream({Type::kLong, units.size(), units.data()}, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::size_t digits = in.u8();
    if (!in.ok() || digits > kFractionDigitsMax) {
      return corrupt_segment("time text has a bad header");
    }
    DecodeRequest inner = request;
    inner.type = Type::kLong;
    ++inner.nesting;
    EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, inner));
    const Vector units = coded.flatten();
    TimeWriter writer(digits);
    const std::size_t size = writer.text_bytes();
    const std::size_t count = request.rows.count;
    auto text = std::make_shared_for_overwrite<char[]>(count * size);
    auto out = Values::make(request.type, count);
    auto* views = out->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < count; ++i) {
      char* at = text.get() + i * size;
      if (!writer.write(units.values().data<std::int64_t>()[i], at)) {
        return corrupt_segment("time text is out of range");
      }
      views[i] = {at, size};
    }
    out->set_contiguous_text({text.get(), count * size});
    out->add_owner({std::move(text), count * size});
    return Vector::flat(std::move(out));
  }
};

}  // namespace

const ColumnEncoding& time_text() {
  static const TimeText kEncoding;
  return kEncoding;
}

}  // namespace evq
