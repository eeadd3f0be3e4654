#pragma once
// SpooledText: texts that grow side by side and are read one after the other, as the columns of an
// answer are. Beyond a little memory they wait in a file without a name, so that an answer of any
// size costs nobody anything however slowly it is read; while the disk is full, they borrow memory
// that all of a process share. One thread at a time.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/result.h"

namespace evq {

// The place of a process's long answers until they are read. Any thread, but for the settings.
struct SpoolSpace {
  std::string directory;
  std::size_t memory_bytes_max = kAnswerTextBytesMax;  // of one SpooledText
  std::uint64_t file_bytes_max = UINT64_MAX;           // of all together, as what follows
  std::uint64_t borrowed_bytes_max = kAnswerBorrowedBytesMax;
  std::uint64_t disk_free_bytes_min = kAnswerDiskFreeBytesMin;
  std::atomic<std::uint64_t> file_bytes{0};
  std::atomic<std::uint64_t> borrowed_bytes{0};
};

class SpooledText {
 public:
  SpooledText(std::shared_ptr<SpoolSpace> space, std::size_t texts);
  ~SpooledText();
  SpooledText(const SpooledText&) = delete;
  SpooledText& operator=(const SpooledText&) = delete;

  // The part of a text that is in memory, to append to; settle it before much more than a piece has
  // come. Settling any text may take from its front what is settled, and leaves what is not.
  std::string& tail(std::size_t text) { return texts_[text].tail; }
  // Settles the tail, and moves the settled tails to the file when they are too long together.
  // kDiskFull, kIo, kUnavailable when they neither find room there nor memory.
  Status settle(std::size_t text);

  std::uint64_t size(std::size_t text) const;
  // Appends `size` bytes from `position` of a settled text, which has them. kIo.
  Status read(std::size_t text, std::uint64_t position, std::size_t size, std::string* out) const;
  // Appends the next bytes from `position`, up to a piece, and moves it behind them; false when
  // none are left after them. kIo.
  Result<bool> read_on(std::size_t text, std::uint64_t* position, std::string* out) const;

 private:
  struct Piece {
    std::uint64_t begin = 0;  // in its text
    std::uint64_t place = 0;  // in the file
  };
  struct Text {
    std::vector<Piece> pieces;
    std::uint64_t filed_bytes = 0;  // of all pieces
    std::string tail;
    std::size_t settled_bytes = 0;  // of the tail
  };

  Status move_to_file();
  void forget_tails(std::uint64_t place);
  bool borrow();
  void return_borrowed();

  std::shared_ptr<SpoolSpace> space_;
  std::vector<Text> texts_;
  std::size_t tail_bytes_ = 0;  // settled ones of all tails
  std::size_t borrowed_bytes_ = 0;
  File file_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace evq
