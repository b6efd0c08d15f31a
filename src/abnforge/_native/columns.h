/* Columns of texts as Apache Arrow lays them out, judged without copying. Plain C11, as walk.h. */
#ifndef ABNFORGE_COLUMNS_H
#define ABNFORGE_COLUMNS_H

#include "walk.h"

typedef enum { ABNF_OFFSETS_32 = 4, ABNF_OFFSETS_64 = 8, ABNF_VIEWS = 16 } abnf_layout;

typedef struct {
    abnf_layout layout;
    int64_t first, length;         /* rows first to first + length of the buffers are the column */
    const uint8_t *valid;          /* a bit for each row, or null where none is missing */
    const uint8_t *offsets;        /* of rows in `data`, one more than there are rows */
    const uint8_t *data;
    int64_t data_size;
    const uint8_t *views;          /* 16 octets a row, as Arrow's string_view */
    const uint8_t *const *buffers; /* what views point into, and how long each is */
    const int64_t *sizes;
    int64_t buffer_count;
    int octets;                    /* places are counted in octets, not in characters */
} abnf_column;

enum { ABNF_MISSING, ABNF_THERE, ABNF_IMPOSSIBLE };

/* The text of a row, and whether it is there; impossible if it does not lie in the buffers. */
int abnf_column_text(const abnf_column *column, int64_t row, abnf_text *text);

/* Judge rows from..to, where `from` is a multiple of 8. Bit i of `bits` is whether row i is derived; missing rows
 * are 0. If `offsets` is not null, it gets where reading row i stopped, -1 where it is derived or missing.
 * Returns the row whose place in the buffers is impossible, or -1. */
int64_t abnf_column_read(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                         int64_t *offsets);

/* The same for a table with tags: places[tag * stride + row] is the place of the tag, -1 for none; valid[part] has a
 * bit for each row in which the part is there. */
int64_t abnf_column_places(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                           uint8_t *const *valid, int32_t *places, int64_t stride);

/* The same with each part as views into the column's own buffers: 16 octets a row and a bit whether it is there. What
 * has offsets has its data as buffer 0, which reaches no further than 2 GiB. */
int64_t abnf_column_views(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                          uint8_t *const *valid, uint8_t *const *views);

#endif
