#pragma once
// ListBytes: the bytes of very many lists that grow at their ends, in memory that all of them
// share: those of a list lie in pieces, of which each has twice the room of the one before. Lists
// of others can be appended where they lie, without copies of their bytes: their memory then lives
// on with this. One worker's; others may read, and append from it, while it does not change. Fails
// as allocations do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "store/base/short_copy.h"
#include "store/column/vector.h"

namespace evq {

class ListBytes {
 public:
  struct List {
    char* first = nullptr;  // pieces: a Head and bytes, or where these lie
    char* last = nullptr;
    std::uint32_t used = 0;  // of the last piece, after its head
    std::uint32_t room = 0;
    std::size_t bytes = 0;
    std::size_t items = 0;  // the caller's
  };

  // Appends `bytes`, fewer than 2^32, to the list.
  void append(std::string_view bytes, List* list) {
    if (bytes.size() > list->room - list->used) {
      add_piece(bytes.size(), list);
    }
    copy_short(bytes.data(), bytes.size(), list->last + sizeof(Head) + list->used);
    list->used += static_cast<std::uint32_t>(bytes.size());
    list->bytes += bytes.size();
  }

  // Makes the memory of `other` live as long as this, for append_shared().
  void share(const ListBytes& other) {
    keep(other.arena_);
    for (const std::shared_ptr<const StringArena>& arena : other.shared_) {
      keep(arena);
    }
  }
  // Appends a list of such another, which stays as it is.
  void append_shared(const List& other, List* list) {
    for_each_piece(other, [&](std::string_view bytes) {
      char* const piece = arena_->allocate(sizeof(Head) + sizeof(char*));
      const Head head{nullptr, bytes.size() | kLiesElsewhere};
      const char* const place = bytes.data();
      std::memcpy(piece, &head, sizeof(head));
      std::memcpy(piece + sizeof(head), &place, sizeof(place));
      link(piece, list);
      list->room = static_cast<std::uint32_t>(std::min(bytes.size(), kRoomMax));
      list->used = list->room;  // nothing goes there any more
      shared_bytes_ += bytes.size() + sizeof(head);
    });
    shared_bytes_ += other.room - other.used;
    list->bytes += other.bytes;
  }
  bool shares() const { return !shared_.empty(); }

  // Calls visit(bytes) for the pieces in order.
  template <class Visit>
  static void for_each_piece(const List& list, const Visit& visit) {
    for (const char* piece = list.first; piece != nullptr;) {
      const Head head = head_of(piece);
      if ((head.used & kLiesElsewhere) != 0) {
        const char* place = nullptr;
        std::memcpy(&place, piece + sizeof(head), sizeof(place));
        visit(std::string_view(place, head.used & ~kLiesElsewhere));
      } else {
        const std::size_t used = piece == list.last ? list.used : head.used;
        visit(std::string_view(piece + sizeof(head), used));
      }
      piece = head.next;
    }
  }

  // The memory of lists of others counts as far as it was appended.
  std::size_t size_bytes() const { return arena_->size_bytes() + shared_bytes_; }

 private:
  // The header of a piece, not aligned. Of the last piece the list has `used`, unless its bytes lie
  // elsewhere.
  struct Head {
    char* next = nullptr;
    std::size_t used = 0;
  };
  static constexpr std::size_t kLiesElsewhere = std::size_t{1} << 63U;
  static constexpr std::size_t kRoomMin = 32;
  static constexpr std::size_t kRoomMax = std::size_t{1} << 18U;

  static Head head_of(const char* piece) {
    Head head;
    std::memcpy(&head, piece, sizeof(head));
    return head;
  }

  void keep(const std::shared_ptr<const StringArena>& arena) {
    if (std::ranges::find(shared_, arena) == shared_.end()) {
      shared_.push_back(arena);
    }
  }

  void link(char* piece, List* list) {
    if (list->last == nullptr) {
      list->first = piece;
    } else {
      Head head = head_of(list->last);
      head.next = piece;
      if ((head.used & kLiesElsewhere) == 0) {
        head.used = list->used;
      }
      std::memcpy(list->last, &head, sizeof(head));
    }
    list->last = piece;
  }

  void add_piece(std::size_t bytes, List* list) {
    const std::size_t grown =
        std::clamp<std::size_t>(std::size_t{2} * list->room, kRoomMin, kRoomMax);
    const std::size_t room = std::max(bytes, grown);
    char* const piece = arena_->allocate(sizeof(Head) + room);
    const Head head;
    std::memcpy(piece, &head, sizeof(head));
    link(piece, list);
    list->used = 0;
    list->room = static_cast<std::uint32_t>(room);
  }

  std::shared_ptr<StringArena> arena_ = std::make_shared<StringArena>();
  std::vector<std::shared_ptr<const StringArena>> shared_;
  std::size_t shared_bytes_ = 0;
};

}  // namespace evq
