import CZlib

/// Undoes the content coding of an answer (RFC 9110 8.4) with zlib. None is asked for, but some servers and the proxies in
/// front of them compress all the same.
enum ContentCoding {
    enum CodingError: Error, Equatable {
        /// Another coding than gzip and deflate, or several.
        case unknown
        /// Damaged, or cut off.
        case malformed
        case tooLarge
    }

    /// The body as it was before the coding.
    ///
    /// - Parameters:
    ///   - values: of `Content-Encoding`.
    ///   - limit: bytes of the result. It protects against compression bombs: more is never written.
    static func decode(_ body: [UInt8], _ values: [String], limit: Int) throws(CodingError) -> [UInt8] {
        let codings = values.flatMap { $0.lowercased().split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" } }.filter { !$0.isEmpty && $0 != "identity" }
        guard let coding = codings.first else { return body }
        // A second coding would multiply what little input can cost.
        guard codings.count == 1 else { throw .unknown }
        switch coding {
        case "gzip", "x-gzip": return try inflate(body, sso_inflate_gzip, limit)
        case "deflate":
            do throws(CodingError) { return try inflate(body, sso_inflate_zlib, limit) } catch .malformed {
                // RFC 9110 8.4.1.2: some send the data without the header of zlib.
                return try inflate(body, sso_inflate_raw, limit)
            }
        default: throw .unknown
        }
    }

    private static func inflate(
        _ packed: [UInt8], _ format: sso_inflate_format, _ limit: Int
    ) throws(CodingError) -> [UInt8] {
        // One byte more, so that a result of exactly `limit` bytes differs from a larger one.
        let capacity = limit + 1
        var (result, written) = (Z_OK, 0)
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            result = packed.withUnsafeBufferPointer { input in
                sso_inflate(format, input.baseAddress, input.count, buffer.baseAddress, capacity, &written)
            }
            count = written
        }
        guard written <= limit else { throw .tooLarge }
        guard result == Z_STREAM_END else { throw .malformed }
        return output
    }
}
