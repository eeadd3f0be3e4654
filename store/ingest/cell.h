#pragma once
// Cell: one field of one event between its parser and its column. Text and dynamic bytes belong to
// the input or to the assembler's scratch memory and live until the event is committed.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evq {

enum class CellKind : std::uint8_t {
  kBool,
  kLong,
  kReal,
  kText,
  kRawText,  // of CSV: the whole column decides what it is
  kDynamic,  // encoded as in store/column/dynamic.h
};

struct Cell {
  CellKind kind = CellKind::kBool;
  bool readable = false;  // sixteen bytes can be read from the text's first one on
  std::uint32_t column = 0;
  std::uint32_t node = 0;  // the key it came from
  std::uint32_t size = 0;  // of text
  union {
    std::int64_t integer = 0;
    double real;
    const char* text;
  };

  std::string_view view() const { return {text, size}; }

  static Cell of_bool(bool value) {
    Cell cell;
    cell.integer = value ? 1 : 0;
    return cell;
  }
  static Cell of_long(std::int64_t value) {
    Cell cell;
    cell.kind = CellKind::kLong;
    cell.integer = value;
    return cell;
  }
  static Cell of_real(double value) {
    Cell cell;
    cell.kind = CellKind::kReal;
    cell.real = value;
    return cell;
  }
  static Cell of_text(CellKind kind, std::string_view text) {
    Cell cell;
    cell.kind = kind;
    cell.size = static_cast<std::uint32_t>(text.size());
    cell.text = text.data();
    return cell;
  }
};

}  // namespace evq
