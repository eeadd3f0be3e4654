#pragma once
// Answers of any length: lists of objects, and other texts that are spooled, given piece by piece
// while they are sent. Memory holds one object and one piece, however long the answer is.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "http/api.h"

namespace evq {

// A response whose body is the first of the texts, which is settled, read while it is sent. kIo.
Result<HttpResponse> send_spooled(const std::shared_ptr<SpooledText>& text);
// A list of JSON texts as a response, however long they are together. One thread.
class LongList {
 public:
  explicit LongList(Api& api);
  std::size_t size() const { return size_; }
  // Appends an item. kDiskFull, kIo, kUnavailable where there is no room for it.
  Status add(std::string_view item);
  // The response of all items; to be called once. Errors as above.
  Result<HttpResponse> response();

 private:
  const std::shared_ptr<SpooledText> text_;
  std::size_t size_ = 0;
};

// Takes an object of a list; false when it wants no more.
using ObjectTaker = std::function<Result<bool>(const StoredObject& object)>;
// Gives `take` each of these objects but the first ones, in the order of
// Definitions::find_objects. One at a time is in memory: each may be as long as a request. What is
// deleted meanwhile, or no longer meant, is left out and moves none of the others.
Status each_object(Api& api, const HttpRequest& request, const ObjectFilter& which,
                   const ObjectTaker& take, std::size_t first = 0);

}  // namespace evq
