// zlib's inflate for Swift, which does not import the macro inflateInit2.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

// Inflates raw DEFLATE data (RFC 1951) into a buffer of fixed size.
//
// Returns Z_STREAM_END when all of it fits. Z_BUF_ERROR means that the input is truncated or the output too large:
// it is too large when *written equals capacity. Any other value means that the data is malformed.
static inline int sso_inflate(
    const uint8_t *packed, size_t packed_count, uint8_t *output, size_t capacity, size_t *written) {
    z_stream stream = {0};
    *written = 0;
    if (packed_count > UINT32_MAX || capacity > UINT32_MAX) return Z_MEM_ERROR;
    // A negative window size selects raw data, without the header of zlib or gzip.
    int result = inflateInit2(&stream, -MAX_WBITS);
    if (result != Z_OK) return result;
    stream.next_in = (Bytef *)packed;
    stream.avail_in = (uInt)packed_count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    result = inflate(&stream, Z_FINISH);
    *written = stream.total_out;
    inflateEnd(&stream);
    return result;
}
