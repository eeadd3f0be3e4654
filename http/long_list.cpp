#include "http/long_list.h"

namespace evq {

Result<HttpResponse> send_spooled(const std::shared_ptr<SpooledText>& text) {
  HttpResponse response;
  std::uint64_t position = 0;
  EVQ_TRY_ASSIGN(const bool more, text->read_on(0, &position, &response.body));
  if (more) {
    response.rest = [text, position](std::string* piece) mutable {
      return text->read_on(0, &position, piece);
    };
  }
  return response;
}

LongList::LongList(Api& api) : text_(std::make_shared<SpooledText>(api.answers, 1)) {
  text_->tail(0) = "[";
}

Status LongList::add(std::string_view item) {
  text_->tail(0).append(size_++ == 0 ? "" : ",").append(item);
  return text_->settle(0);
}

Result<HttpResponse> LongList::response() {
  text_->tail(0).push_back(']');
  EVQ_TRY(text_->settle(0));
  return send_spooled(text_);
}

Status each_object(Api& api, const HttpRequest& request, const ObjectFilter& which,
                   const ObjectTaker& take, std::size_t first) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> ids, api.definitions().find_object_ids(which));
  bool more = true;
  for (std::size_t i = first; more && i < ids.size(); ++i) {
    EVQ_TRY(request.control != nullptr ? request.control->check() : Status());
    EVQ_TRY_ASSIGN(const std::optional<StoredObject> object,
                   api.definitions().find_object(which.kind, ids[i]));
    const bool meant = object.has_value() &&
                       (which.dataset.empty() || object->dataset == which.dataset) &&
                       (which.name.empty() || object->name == which.name);
    if (meant) {
      EVQ_TRY_ASSIGN(more, take(*object));
    }
  }
  return Status::success();
}

}  // namespace evq
