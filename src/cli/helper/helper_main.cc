// discreet-helper: runs questions for a service, in a process that can be ended (service/helper.h).
#include <fcntl.h>
#include <sys/socket.h>

#include <cstdio>

#include "discreet/service/helper.h"
#include "discreet/service/helper_serve.h"

int main() {
  int kind = 0;
  socklen_t size = sizeof(kind);
  if (getsockopt(discreet::service::kHelperSocket, SOL_SOCKET, SO_TYPE, &kind, &size) != 0) {
    (void)std::fputs("discreet-helper: discreet and programs with its library start this\n",
                     stderr);
    return 2;
  }
  (void)fcntl(discreet::service::kHelperSocket, F_SETFD, FD_CLOEXEC);
  discreet::service::serve_helper(discreet::service::kHelperSocket);
}
