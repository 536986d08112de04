#include "discreet/engine/trino/problem.h"

#include <fmt/format.h>

namespace discreet::engine::trino {

tl::unexpected<Error> problem(const Failed& failed, const Address& address, Reserved reserved) {
  const auto said = [&](const char* what, const char* hint) {
    return fail(Code::kFailure,
                fmt::format("the server {} {}{}", address.text(), what, and_spent(reserved)), hint);
  };
  switch (failed.kind) {
    case Failed::Kind::kUnreachable:
      return said("can't be reached", "is it running, and is the policy's url right?");
    case Failed::Kind::kUntrusted:
      return said("has a certificate that no trusted authority has signed for that name",
                  "certificate = \"ca.pem\" in the policy names an authority of your own");
    case Failed::Kind::kUnknown:
      return said("doesn't let this user in",
                  "the policy says where a password or token is found: password = \"env:NAME\"");
    case Failed::Kind::kNotTrino:
      return said("doesn't answer as Trino does", "is the policy's url that of a coordinator?");
    case Failed::Kind::kStopped:
      return was_interrupted(reserved);
    case Failed::Kind::kLate:
      return took_too_long(reserved);
    case Failed::Kind::kBroken:
      break;
  }
  return could_not_run(reserved);
}

}  // namespace discreet::engine::trino
