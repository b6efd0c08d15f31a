#include <stddef.h>
#include <stdint.h>

/* One program of weighted states, drawn by `below`, which gives a number below another; and some texts read by it. Null, or
 * what is wrong. */
const char *fuzz_follow(uint32_t (*below)(uint32_t));
