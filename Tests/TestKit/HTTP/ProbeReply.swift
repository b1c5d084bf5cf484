/// An HTTP answer as it was received: headers in order, duplicates kept, the body as bytes.
struct ProbeReply: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// All values of a header, in order.
    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The first value of a header.
    func header(_ name: String) -> String? { all(name).first }
}

/// Reads one HTTP/1.1 answer from bytes that arrive in pieces. Strict, because a lenient reader would hide a defect
/// of the server.
struct ReplyReader {
    private var bytes: [UInt8] = []
    let isHead: Bool

    init(isHead: Bool) {
        self.isHead = isHead
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes += more
    }

    /// The answer when it is complete, with what came after it; nil when more bytes are needed. `ended`: the peer has closed.
    func reply(ended: Bool) throws -> (ProbeReply, rest: ArraySlice<UInt8>)? {
        var start = 0
        while let end = Self.headEnd(in: bytes, from: start) {
            let (status, headers) = try Self.head(bytes[start..<end])
            guard status >= 200 else {
                start = end
                continue
            }
            let reply = ProbeReply(status: status, headers: headers, body: [])
            let rest = bytes[end...]
            if isHead || status == 204 || status == 304 { return (reply, rest) }
            guard let (body, next) = try Self.body(rest, of: reply, ended: ended) else { return nil }
            return (ProbeReply(status: status, headers: headers, body: body), next)
        }
        return nil
    }

    private static func headEnd(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 3 < bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws -> (Int, [(name: String, value: String)]) {
        // Split on bytes: "\r\n" is one Character, and a split of the String on "\n" would find nothing.
        let lines = bytes.split(separator: 10).map { line in
            String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3))
        else {
            throw ProbeFailure("not an HTTP/1.1 answer: \(lines.first ?? "")")
        }
        let headers = try lines.dropFirst().filter { !$0.isEmpty }.map { line in
            guard let colon = line.firstIndex(of: ":") else { throw ProbeFailure("not a header: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (name: String(line[..<colon]), value: String(value))
        }
        return (status, headers)
    }

    /// The body, and what comes after it.
    private static func body(_ bytes: ArraySlice<UInt8>, of reply: ProbeReply, ended: Bool) throws
        -> ([UInt8], ArraySlice<UInt8>)?
    {
        if reply.header("transfer-encoding")?.lowercased() == "chunked" {
            return try chunked(bytes)
        }
        if let text = reply.header("content-length") {
            guard let length = Int(text) else { throw ProbeFailure("content-length: \(text)") }
            return bytes.count >= length ? (Array(bytes.prefix(length)), bytes.dropFirst(length)) : nil
        }
        return ended ? (Array(bytes), []) : nil
    }

    private static func chunked(_ bytes: ArraySlice<UInt8>) throws -> ([UInt8], ArraySlice<UInt8>)? {
        var (rest, body): (ArraySlice<UInt8>, [UInt8]) = (bytes, [])
        while let lineEnd = rest.firstIndex(of: 10) {
            let line = String(decoding: rest[rest.startIndex..<lineEnd].filter { $0 != 13 }, as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw ProbeFailure("chunk size: \(line)") }
            rest = rest[(lineEnd + 1)...]
            guard rest.count >= size + 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
            if size == 0 { return (body, rest) }
        }
        return nil
    }
}
