#pragma once
// Looking fields up as people write them: by the stored name, or with the dots inside nested keys
// not escaped (attributes.user.tier for attributes.user\.tier), when that is unambiguous.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/ast_expr.h"
#include "store/base/error.h"
#include "store/column/schema.h"

namespace evq::plan {

class Binder;
struct Relation;

// The position of the visible field called `name`; the exact spelling wins.
std::optional<std::size_t> find_field(const Schema& schema, std::string_view name);

// `fields` with the stored names where they name fields otherwise.
std::vector<ast::NamePattern> as_stored(const Schema& schema, std::vector<ast::NamePattern> fields);

// That a list of fields, as project-away has one, names what `input` has not: the error of
// Binder::unknown_field(), with what such a list takes.
Error unknown_listed_field(const Binder& binder, const Relation& input, const std::string& name,
                           Span span);

}  // namespace evq::plan
