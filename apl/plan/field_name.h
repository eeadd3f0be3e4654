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

// Finds the position of the visible field called `name`; the exact spelling wins.
std::optional<std::size_t> find_field(const Schema& schema, std::string_view name);

// Replaces the names in `fields` by the stored names of the fields that they mean.
std::vector<ast::NamePattern> as_stored(const Schema& schema, std::vector<ast::NamePattern> fields);

// Makes the error of Binder::unknown_field() for a name in a list of fields, as project-away has
// one, that `input` lacks; it adds what such a list takes.
Error unknown_listed_field(const Binder& binder, const Relation& input, const std::string& name,
                           Span span);

}  // namespace evq::plan
