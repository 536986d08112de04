// The door in the noise barrier. A class that derives from Door (privately) can open an Exact; that
// makes it a part of the trusted code, which has to show that everything it lets out has noise on
// it. Only mechanisms include this header, and a test keeps it so.
#pragma once

#include <utility>

#include "discreet/mechanism/exact.h"

namespace discreet::mechanism {

class Door {
 protected:
  template <class T>
  static const T& open(const Exact<T>& exact) {
    return exact.value_;
  }
  // Opens it for good, so that a large value can be worked on in place.
  template <class T>
  static T take(Exact<T>&& exact) {
    return std::move(exact.value_);
  }
};

}  // namespace discreet::mechanism
