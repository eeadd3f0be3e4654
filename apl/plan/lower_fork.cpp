// fork and facet, which have several tables as their result. An answer is one table, for every
// client, so both are refused with the way to the same rows.

#include "apl/plan/binder.h"

namespace evq::plan {

Result<Relation> Binder::lower(const ast::Fork& /*op*/, Span span, Relation /*input*/) {
  return diag::unsupported_feature(
      span, "fork, whose result is several tables,",
      "write union withsource=branch (…), (…), or run the branches one by one");
}

Result<Relation> Binder::lower(const ast::Facet& /*op*/, Span span, Relation /*input*/) {
  return diag::unsupported_feature(span, "facet, whose result is several tables,",
                                   "write summarize count() by field, one query for each field");
}

}  // namespace evq::plan
