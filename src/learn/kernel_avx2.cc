// The inner loops of learning, for processors with AVX2 and FMA.
#include "discreet/learn/kernel.h"

#define KERNEL_NAME avx2
#define KERNEL_LANES 8
#define KERNEL_ROWS 6
#include "discreet/learn/kernel_body.h"
