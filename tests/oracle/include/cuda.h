#include "kl_cuda.h"
