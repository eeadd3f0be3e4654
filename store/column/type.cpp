#include "store/column/type.h"

#include <array>

namespace evq {
namespace {

struct TypeNames {
  Type type;
  std::string_view name;
  std::string_view api_name;
};

constexpr std::array<TypeNames, kTypeCount> kTypeNames = {{
    {Type::kNull, "null", "unknown"},
    {Type::kBool, "bool", "boolean"},
    {Type::kLong, "long", "integer"},
    {Type::kReal, "real", "float"},
    {Type::kString, "string", "string"},
    {Type::kDatetime, "datetime", "datetime"},
    {Type::kTimespan, "timespan", "timespan"},
    {Type::kDynamic, "dynamic", "array"},
}};

struct TypeAlias {
  std::string_view name;
  Type type;
};

constexpr std::array<TypeAlias, 14> kTypeAliases = {{
    {"boolean", Type::kBool},
    {"int", Type::kLong},
    {"integer", Type::kLong},
    {"double", Type::kReal},
    {"float", Type::kReal},
    {"decimal", Type::kReal},
    {"date", Type::kDatetime},
    {"time", Type::kTimespan},
    {"object", Type::kDynamic},
    {"array", Type::kDynamic},
    {"map", Type::kDynamic},
    {"guid", Type::kString},
    {"uuid", Type::kString},
    {"uniqueid", Type::kString},
}};

}  // namespace

std::string_view type_name(Type type) {
  return kTypeNames[static_cast<std::size_t>(type)].name;
}

std::string_view api_type_name(Type type) {
  return kTypeNames[static_cast<std::size_t>(type)].api_name;
}

std::optional<Type> type_from_name(std::string_view name) {
  for (const TypeNames& row : kTypeNames) {
    if (row.name == name && row.type != Type::kNull) {
      return row.type;
    }
  }
  for (const TypeAlias& row : kTypeAliases) {
    if (row.name == name) {
      return row.type;
    }
  }
  return std::nullopt;
}

Type common_type(Type a, Type b) {
  if (a == b || b == Type::kNull) {
    return a;
  }
  if (a == Type::kNull) {
    return b;
  }
  return is_numeric(a) && is_numeric(b) ? Type::kReal : Type::kDynamic;
}

}  // namespace evq
