// Operators that parse but are not planned yet: each is refused by name.

#include <utility>

#include "apl/plan/binder.h"

namespace evq::plan {
namespace {

Error pending(Span span, std::string_view name) {
  return diag::unsupported_feature(span, "the operator " + std::string(name), "");
}

}  // namespace

Result<Relation> Binder::lower(const ast::ExternalData& /*source*/, Span span) {
  return pending(span, "externaldata");
}
Result<Relation> Binder::lower(const ast::Scan& /*op*/, Span span, Relation /*input*/) {
  return pending(span, "scan");
}
Result<Relation> Binder::lower(const ast::Reduce& /*op*/, Span span, Relation /*input*/) {
  return pending(span, "reduce");
}
Result<Relation> Binder::lower(const ast::Fork& /*op*/, Span span, Relation /*input*/) {
  return pending(span, "fork");
}
Result<Relation> Binder::lower(const ast::Facet& /*op*/, Span span, Relation /*input*/) {
  return pending(span, "facet");
}

}  // namespace evq::plan
