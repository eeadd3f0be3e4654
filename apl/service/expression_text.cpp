#include "apl/service/expression_text.h"

#include <string>

#include "apl/syntax/parser.h"
#include "store/base/control.h"

namespace evq {

Status check_expression(std::string_view name, std::string_view text) {
  const Result<ast::ExprPtr> parsed = syntax::parse_expression(text, wall_clock_now_ns());
  return parsed.ok() ? Status::success()
                     : Status(make_error(ErrorCode::kUsage,
                                         "the virtual field '" + std::string(name) +
                                             "': " + parsed.error().message,
                                         parsed.error().hint));
}

}  // namespace evq
