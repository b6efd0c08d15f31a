/* Validate columns of strings in the layouts of Apache Arrow, without copies. Plain C11, like walk.h. */
#ifndef ABNFORGE_COLUMNS_H
#define ABNFORGE_COLUMNS_H

#include "walk.h"

#define ABNF_BYTES 2 /* a unit of offsets: each byte is a character, also within characters of UTF-8 */

typedef enum { ABNF_OFFSETS_32 = 4, ABNF_OFFSETS_64 = 8, ABNF_VIEWS = 16 } abnf_layout;

typedef struct {
    abnf_layout layout;
    int64_t first, length;         /* the column consists of rows first to first + length of the buffers */
    const uint8_t *valid;          /* one bit per row, or null if no row is missing */
    const uint8_t *offsets;        /* offsets in `data`, one more than there are rows */
    const uint8_t *data;
    int64_t data_size;
    const uint8_t *views;          /* 16 bytes per row, as in Arrow's string_view */
    const uint8_t *const *buffers; /* the targets of views, and their sizes */
    const int64_t *sizes;
    int64_t buffer_count;
    int octets;                    /* true if places count bytes, not characters; ABNF_BYTES if each byte is a character */
} abnf_column;

enum { ABNF_MISSING, ABNF_THERE, ABNF_IMPOSSIBLE };

/* Find the string of a row. Return ABNF_THERE, ABNF_MISSING, or ABNF_IMPOSSIBLE if it is outside the buffers. */
int abnf_column_text(const abnf_column *column, int64_t row, abnf_text *text);

/* Validate rows from..to; `from` is a multiple of 8. Bit i of `bits` is 1 if row i is valid, 0 if it is invalid or
 * missing. `offsets`, unless null, gets the offset where the walk of row i stopped, or -1 for a valid or missing row.
 * Return the first row that is outside the buffers, or -1. */
int64_t abnf_column_read(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                         int64_t *offsets);

/* Validate rows, and find their parts, by a table with tags. Set places[tag * stride + row] to the place of the tag, or
 * -1, and set a bit in valid[part] for each row with the part. Return the same value as abnf_column_read. */
int64_t abnf_column_places(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                           uint8_t *const *valid, int32_t *places, int64_t stride);

/* Validate rows, and return each part as views into the buffers of the column: 16 bytes per row, and a bit for each row
 * with the part. In a column with offsets, `data` is buffer 0 and has at most 2 GiB. Return the same value as
 * abnf_column_read. */
int64_t abnf_column_views(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                          uint8_t *const *valid, uint8_t *const *views);

#endif
