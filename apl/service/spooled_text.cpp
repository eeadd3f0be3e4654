#include "apl/service/spooled_text.h"

#include <algorithm>
#include <span>
#include <utility>

#include "apl/service/answer_parts.h"

namespace evq {

SpooledText::SpooledText(std::shared_ptr<SpoolSpace> space, std::size_t texts)
    : space_(std::move(space)), texts_(texts) {}

SpooledText::~SpooledText() {
  return_borrowed();
  space_->file_bytes.fetch_sub(file_bytes_);
}

Status SpooledText::settle(std::size_t text) {
  Text& grown = texts_[text];
  tail_bytes_ += grown.tail.size() - grown.settled_bytes;
  grown.settled_bytes = grown.tail.size();
  while (tail_bytes_ > space_->memory_bytes_max + borrowed_bytes_) {
    Status moved = move_to_file();
    if (!moved.ok() && !borrow()) {
      return moved;
    }
  }
  return Status::success();
}

// As much again as there is, so that the file is tried seldom.
bool SpooledText::borrow() {
  const std::size_t more = space_->memory_bytes_max + borrowed_bytes_;
  if (space_->borrowed_bytes.fetch_add(more) + more > space_->borrowed_bytes_max) {
    space_->borrowed_bytes.fetch_sub(more);
    return false;
  }
  borrowed_bytes_ += more;
  return true;
}

void SpooledText::return_borrowed() {
  space_->borrowed_bytes.fetch_sub(std::exchange(borrowed_bytes_, 0));
}

Status SpooledText::move_to_file() {
  EVQ_TRY_ASSIGN(const std::uint64_t free_bytes, free_disk_bytes(space_->directory));
  if (free_bytes < space_->disk_free_bytes_min + tail_bytes_) {
    return make_error(ErrorCode::kDiskFull,
                      "the disk of " + space_->directory + " has no room for a long answer",
                      "free some, or ask for less");
  }
  if (!file_.is_open()) {
    EVQ_TRY_ASSIGN(file_, File::create_unnamed(space_->directory));
  }
  std::string together;
  together.reserve(tail_bytes_);
  for (const Text& text : texts_) {
    together.append(text.tail, 0, text.settled_bytes);
  }
  const std::uint64_t begin = file_bytes_;
  if (space_->file_bytes.fetch_add(tail_bytes_) + tail_bytes_ > space_->file_bytes_max) {
    space_->file_bytes.fetch_sub(tail_bytes_);
    return make_error(ErrorCode::kUnavailable,
                      "the answers that clients have not read yet take all the room that there is",
                      "try again later, or ask for less");
  }
  file_bytes_ += tail_bytes_;
  Status written = file_.write_at(begin, together);
  if (!written.ok()) {  // what of it is there is written over by the next
    space_->file_bytes.fetch_sub(tail_bytes_);
    file_bytes_ = begin;
    return written;
  }
  forget_tails(begin);
  return_borrowed();
  return Status::success();
}

// They are in the file now, one after the other from `place`.
void SpooledText::forget_tails(std::uint64_t place) {
  for (Text& text : texts_) {
    if (text.settled_bytes == 0) {
      continue;
    }
    text.pieces.push_back({text.filed_bytes, place});
    text.filed_bytes += text.settled_bytes;
    place += text.settled_bytes;
    text.tail.erase(0, std::exchange(text.settled_bytes, 0));
    if (text.tail.capacity() > space_->memory_bytes_max / texts_.size()) {
      text.tail.shrink_to_fit();  // what one of many needed once is not kept for each
    }
  }
  tail_bytes_ = 0;
}

std::uint64_t SpooledText::size(std::size_t text) const {
  return texts_[text].filed_bytes + texts_[text].settled_bytes;
}

Status SpooledText::read(std::size_t text, std::uint64_t position, std::size_t size,
                         std::string* out) const {
  const Text& from = texts_[text];
  auto piece = std::ranges::upper_bound(from.pieces, position, {}, &Piece::begin);
  while (size > 0 && position < from.filed_bytes) {
    const Piece& here = *std::prev(piece);
    const std::uint64_t end = piece == from.pieces.end() ? from.filed_bytes : piece->begin;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, end - position));
    const std::size_t before = out->size();
    out->resize(before + wanted);
    EVQ_TRY_ASSIGN(const std::size_t got, file_.read_at(here.place + (position - here.begin),
                                                        std::span(*out).subspan(before)));
    if (got < wanted) {
      return make_error(ErrorCode::kIo, "the kept answer is shorter than it was");
    }
    position += wanted;
    size -= wanted;
    ++piece;
  }
  if (size > 0) {
    out->append(from.tail, position - from.filed_bytes, size);
  }
  return Status::success();
}

Result<bool> SpooledText::read_on(std::size_t text, std::uint64_t* position,
                                  std::string* out) const {
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(kAnswerPieceBytes, size(text) - *position));
  EVQ_TRY(read(text, *position, wanted, out));
  *position += wanted;
  return *position < size(text);
}

}  // namespace evq
