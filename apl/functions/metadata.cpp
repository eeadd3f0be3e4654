// Functions about the query's data rather than its values. Most of them are answered where names
// are known, before a call is bound; the rows here document them, and stand in for calls that reach
// binding without a table.

#include <array>
#include <charconv>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

// Gives its last argument: what a field that does not exist stands for.
class LastArgument final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    return args.back();
  }
};

BindResult bind_default(const BindRequest& request) {
  BoundCall call;
  for (const Argument& argument : request.arguments) {
    call.arguments.push_back(argument.type);
  }
  call.result = call.arguments.back();
  call.function = std::make_shared<LastArgument>();
  return call;
}

std::optional<Datetime> no_ingestion_time() {
  return std::nullopt;
}

// A cursor that stands just before the query's instant.
std::string cursor_of_now(const EvalContext& context) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), context.now_ns).ptr;
  return {digits.data(), end};
}

constexpr std::array<ScalarFunction, 4> kMetadataFunctions = {{
    {.name = "column_ifexists",
     .aliases = {"columnifexists"},
     .category = "metadata",
     .summary = "Gives a field if the table has it, or what a map field has of that name, else a "
                "default.",
     .params = {{{"field",
                  "The field's name, a constant text; of a map's member the map's name, a "
                  "dot and the key, or keys with dots between them."},
                 {"default",
                  "The value when there is no such field, and in rows whose map has no "
                  "such key."}}},
     .returns = "The type of the field or of the default; dynamic of a map's member.",
     .examples = {{{"print column_ifexists('nothing', 7)", "7"}}},
     .bind = bind_default,
     .arguments_min = 2,
     .arguments_max = 2,
     .result_name = ResultName::kFieldOrDefault},
    {.name = "cursor_current",
     .category = "metadata",
     .summary = "Gives a cursor for the present instant, to page from.",
     .returns = "string.",
     .examples = {{{"print isnotempty(cursor_current())", "true"}}},
     .overloads = {lift<cursor_of_now>()},
     .flags = FunctionFlags::kContext},
    {.name = "ensure_field",
     .category = "conversion",
     .summary = "Gives a field if the table has it, or what a map field has of that name, else a "
                "null of a type.",
     .params = {{{"field",
                  "The field's name, a constant text; of a map's member the map's name, a "
                  "dot and the key, or keys with dots between them."},
                 {"type", "typeof(…) of the null."}}},
     .returns = "The type of the field, or the one asked for, to which a map's member is "
                "converted.",
     .examples = {{{"print isnull(ensure_field('nothing', typeof(string)))", "true"}}},
     .bind = bind_default,
     .arguments_min = 2,
     .arguments_max = 2},
    {.name = "ingestion_time",
     .category = "metadata",
     .summary = "Gives the time at which an event was ingested.",
     .returns = "datetime; null where there is no dataset.",
     .examples = {{{"print isnull(ingestion_time())", "true"}}},
     .overloads = {lift<no_ingestion_time>()}},
}};

}  // namespace

std::span<const ScalarFunction> metadata_functions() {
  return kMetadataFunctions;
}

}  // namespace evq
