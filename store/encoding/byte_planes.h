#pragma once
// Byte planes: small unsigned numbers cut into their bytes, all lowest bytes together, then all
// second ones, each plane an entropy-coded byte string. It wins over bit packing where some values
// are much more frequent than others. Planes are cut into frames of kPlaneRows rows so that a few
// rows do not cost a whole column.
//
//   planes   for each frame, for each of `width` bytes from the lowest: byte string of its rows

#include <cstddef>
#include <cstdint>

#include "store/base/bytes.h"
#include "store/base/result.h"
#include "store/encoding/encoding.h"

namespace evq {

inline constexpr std::size_t kPlaneRows = 16384;

// Bytes needed for numbers up to `greatest`, at least 1.
std::size_t plane_width(std::uint64_t greatest);
// Bits a number after entropy coding, from a sample of at most kPlaneSampleRows.
// The integers may themselves be a sample of so many rows in all.
double estimate_plane_bits(const std::uint64_t* numbers, std::size_t size, std::size_t width,
                           std::size_t rows_in_all);
double estimate_plane_bits(const std::uint16_t* numbers, std::size_t size, std::size_t width);

void write_planes(const std::uint64_t* numbers, std::size_t size, std::size_t width, int level,
                  ByteWriter& out);
void write_planes(const std::uint16_t* numbers, std::size_t size, std::size_t width, int level,
                  ByteWriter& out);
// Reads the numbers of `rows` out of `size`.
Status read_planes(ByteReader& in, std::size_t size, std::size_t width, const RowSet& rows,
                   std::uint64_t* out);
Status read_planes(ByteReader& in, std::size_t size, std::size_t width, const RowSet& rows,
                   std::uint16_t* out);

}  // namespace evq
