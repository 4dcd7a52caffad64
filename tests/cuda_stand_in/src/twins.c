#include "kernel.h"

/* The kernels' constructors fill the list. */
struct gxe_twin *gxe_twins;
