// zlib for Swift, which does not import the macros inflateInit2 and deflateInit2.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

// Which header and trailer are around the DEFLATE data (RFC 1951): none, those of zlib (RFC 1950), those of gzip (RFC 1952).
enum sso_inflate_format { sso_inflate_raw = -MAX_WBITS, sso_inflate_zlib = MAX_WBITS, sso_inflate_gzip = MAX_WBITS + 16 };

// Inflates data into a buffer of fixed size. Of gzip all members are read; other bytes after the end are ignored.
//
// Returns Z_STREAM_END when all of it fits. Z_BUF_ERROR means that the input is truncated or the output too large:
// it is too large when *written equals capacity. Any other value means that the data is malformed.
static inline int sso_inflate(
    enum sso_inflate_format format, const uint8_t *packed, size_t packed_count, uint8_t *output, size_t capacity,
    size_t *written) {
    z_stream stream = {0};
    *written = 0;
    if (packed_count > UINT32_MAX || capacity > UINT32_MAX) return Z_MEM_ERROR;
    int result = inflateInit2(&stream, (int)format);
    if (result != Z_OK) return result;
    stream.next_in = (Bytef *)packed;
    stream.avail_in = (uInt)packed_count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    result = inflate(&stream, Z_FINISH);
    while (result == Z_STREAM_END && format == sso_inflate_gzip && stream.avail_in > 1 && stream.next_in[0] == 0x1f
           && stream.next_in[1] == 0x8b) {
        if (inflateReset(&stream) != Z_OK) break;
        result = inflate(&stream, Z_FINISH);
    }
    *written = capacity - stream.avail_out;
    inflateEnd(&stream);
    return result;
}

// Packs data as gzip (RFC 1952), as small as zlib can, without a name or a time: equal data gives equal bytes.
//
// Returns the number of bytes, or 0 when they do not fit.
static inline size_t sso_gzip(const uint8_t *data, size_t count, uint8_t *output, size_t capacity) {
    z_stream stream = {0};
    if (count > UINT32_MAX || capacity > UINT32_MAX) return 0;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = result == Z_STREAM_END ? capacity - stream.avail_out : 0;
    deflateEnd(&stream);
    return written;
}
