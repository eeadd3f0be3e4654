#pragma once
// release_memory: empties a container and gives its memory back to the heap now. `x = {}` keeps the
// memory of a vector and of a string, since it assigns an empty list; `x = std::string()` keeps a
// string's. Called by whoever owns the container; nothing fails.

namespace evq {

template <class Container>
void release_memory(Container& container) {
  Container().swap(container);
}

}  // namespace evq
