#pragma once
// The inventory of the language: the names that Axiom documents, and those that Kusto's users
// expect besides, as evq was asked to have them. It is kept apart from the tables of what there is,
// so that measuring one against the other tells something.

#include <cstdint>
#include <span>
#include <string_view>

namespace evq {

struct InventoryKind {
  enum class Form : std::uint8_t {
    kOperator,    // entries are names of tabular operators,
    kAggregate,   // aggregates,
    kFunction,    // functions,
    kExpression,  // operators of expressions,
    kQuery,       // or whole queries
  };
  std::string_view title;
  Form form = Form::kFunction;
  std::span<const std::string_view> entries;
  bool documented = true;  // by Axiom
};

std::span<const InventoryKind> language_inventory();

}  // namespace evq
