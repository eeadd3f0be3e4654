#pragma once
// pack_block: the parts of an encoded block in one run of bytes, as make_packed_source() and
// PackedRanges take them (store/block/block_reader.h). For tests and benchmarks of single blocks,
// which know nothing of fresh chunks.

#include <memory>
#include <string>
#include <utility>

#include "store/block/block_reader.h"
#include "store/block/block_writer.h"

namespace evq::test {

inline SharedBytes pack_block(const EncodedBlock& block) {
  std::string packed;
  for (const auto* parts : {&block.segments, &block.filters}) {
    for (const std::string& part : *parts) {
      packed += part;
    }
  }
  const auto owner = std::make_shared<const std::string>(std::move(packed));
  return {*owner, owner};
}

}  // namespace evq::test
