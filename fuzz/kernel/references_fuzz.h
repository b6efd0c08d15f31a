#include <stddef.h>
#include <stdint.h>

/* One pair of references, drawn by `below`, which gives a number below another; results lie at the end of an area.
 * Null, or what is wrong. */
const char *fuzz_references(uint32_t (*below)(uint32_t), uint8_t *area, size_t size);
