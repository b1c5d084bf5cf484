import CZlib

/// Decompresses DEFLATE data (RFC 1951), the compression of entries in a zip archive, with the system's zlib.
enum Inflate {
    enum InflateError: Error, Equatable {
        case truncated
        case malformed
        case tooLarge
    }

    /// - Parameter limit: the maximum size of the result. It protects against compression bombs.
    static func unpack(_ packed: [UInt8], limit: Int) throws(InflateError) -> [UInt8] {
        // One byte more, so that a result of exactly `limit` bytes differs from a larger one.
        let capacity = max(limit, 0) + 1
        var result = Z_OK
        var written = 0
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            result = packed.withUnsafeBufferPointer { input in
                sso_inflate(sso_inflate_raw, input.baseAddress, input.count, buffer.baseAddress, capacity, &written)
            }
            count = written
        }
        guard written <= limit else { throw .tooLarge }
        switch result {
        case Z_STREAM_END: return output
        case Z_BUF_ERROR: throw .truncated
        default: throw .malformed
        }
    }
}
