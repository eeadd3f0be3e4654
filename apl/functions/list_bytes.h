#pragma once
// ListBytes: the bytes of very many lists that grow at their ends, in memory that all of them
// share: those of a list lie in pieces, of which each has twice the room of the one before. One
// worker's; fails as allocations do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "store/base/short_copy.h"
#include "store/column/vector.h"

namespace evq {

class ListBytes {
 public:
  struct List {
    char* first = nullptr;  // pieces: a Head and bytes
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

  // Calls visit(bytes) for the pieces in order.
  template <class Visit>
  static void for_each_piece(const List& list, const Visit& visit) {
    for (const char* piece = list.first; piece != nullptr;) {
      const Head head = piece == list.last ? Head{nullptr, list.used} : head_of(piece);
      visit(std::string_view(piece + sizeof(Head), head.used));
      piece = head.next;
    }
  }

  std::size_t size_bytes() const { return arena_->size_bytes(); }

 private:
  // The header of a piece that another one follows. It is not aligned.
  struct Head {
    char* next = nullptr;
    std::size_t used = 0;
  };
  static constexpr std::size_t kRoomMin = 32;
  static constexpr std::size_t kRoomMax = std::size_t{1} << 18U;

  static Head head_of(const char* piece) {
    Head head;
    std::memcpy(&head, piece, sizeof(head));
    return head;
  }

  void add_piece(std::size_t bytes, List* list) {
    const std::size_t grown =
        std::clamp<std::size_t>(std::size_t{2} * list->room, kRoomMin, kRoomMax);
    const std::size_t room = std::max(bytes, grown);
    char* const piece = arena_->allocate(sizeof(Head) + room);
    if (list->last == nullptr) {
      list->first = piece;
    } else {
      const Head head{piece, list->used};
      std::memcpy(list->last, &head, sizeof(head));
    }
    list->last = piece;
    list->used = 0;
    list->room = static_cast<std::uint32_t>(room);
  }

  std::unique_ptr<StringArena> arena_ = std::make_unique<StringArena>();
};

}  // namespace evq
