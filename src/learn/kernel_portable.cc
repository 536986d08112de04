// The inner loops of learning, for any machine.
#include "discreet/learn/kernel.h"

#define KERNEL_NAME portable
#define KERNEL_LANES 4
#define KERNEL_ROWS 4
#include "discreet/learn/kernel_body.h"
