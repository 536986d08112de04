// The inner loops of learning, for processors with AVX-512.
#include "discreet/learn/kernel.h"

#define KERNEL_NAME avx512
#define KERNEL_LANES 16
#define KERNEL_ROWS 12
#include "discreet/learn/kernel_body.h"
