#include "store/definition_coding.h"

#include "store/base/bytes.h"

namespace evq {

std::string encode_definition(const DatasetDefinition& definition) {
  ByteWriter out;
  out.string(definition.description);
  out.string(definition.kind);
  out.string(definition.who);
  out.string(definition.extra);
  out.i64(definition.created);
  out.i64(definition.updated);
  out.i64(definition.retention_days);
  out.u8(definition.use_retention ? 1 : 0);
  out.varint(definition.map_fields.size());
  for (const std::string& field : definition.map_fields) {
    out.string(field);
  }
  out.raw(definition.later);
  return out.release();
}

bool decode_definition(std::string_view bytes, DatasetDefinition* definition) {
  ByteReader in(bytes);
  definition->description = in.string();
  definition->kind = in.string();
  definition->who = in.string();
  definition->extra = in.string();
  definition->created = in.i64();
  definition->updated = in.i64();
  definition->retention_days = in.i64();
  definition->use_retention = in.u8() != 0;
  if (in.at_end()) {
    return in.ok();
  }
  const std::size_t fields = in.count(1);
  for (std::size_t i = 0; i < fields && in.ok(); ++i) {
    definition->map_fields.emplace_back(in.string());
  }
  definition->later = in.take(in.remaining());
  return in.ok();
}

}  // namespace evq
