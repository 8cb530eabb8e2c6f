#include "cuda_runtime.h"
namespace cooperative_groups { struct thread_block {}; struct grid_group {}; }
