import Foundation

/// A letter of the outbox as a person reads it. A reader for our own letters, not for mail at large.
struct OutboxLetter: Sendable {
    let subject: String
    let to: String
    let date: String
    /// The plain text part, decoded.
    let text: String

    init(_ bytes: [UInt8]) {
        let (header, body) = Self.split(bytes)
        subject = Self.decodedWords(header["subject"] ?? "")
        to = header["to"] ?? ""
        date = header["date"] ?? ""
        text = Self.plainText(header, body)
    }

    /// Header lines, unfolded, under lower-case names; and what follows the empty line.
    private static func split(_ bytes: [UInt8]) -> ([String: String], ArraySlice<UInt8>) {
        var header: [String: String] = [:]
        var name = ""
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0a) {
            let line = String(decoding: rest[..<end].filter { $0 != 0x0d }, as: UTF8.self)
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            if line.hasPrefix(" ") || line.hasPrefix("\t") {
                header[name, default: ""] += line
            } else if let colon = line.firstIndex(of: ":") {
                name = line[..<colon].lowercased()
                header[name] = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
        }
        return (header, rest)
    }

    private static func plainText(_ header: [String: String], _ body: ArraySlice<UInt8>) -> String {
        let type = header["content-type"] ?? ""
        guard let start = type.range(of: "boundary=\"")?.upperBound,
            let end = type[start...].firstIndex(of: "\"")
        else { return String(decoding: body, as: UTF8.self) }
        let delimiter = Data("--\(type[start..<end])\r\n".utf8)
        let closing = Data("\r\n--\(type[start..<end])".utf8)
        let data = Data(body)
        guard let first = data.range(of: delimiter) else { return "" }
        let last = data.range(of: closing, in: first.upperBound..<data.endIndex)?.lowerBound ?? data.endIndex
        let (partHeader, text) = split([UInt8](data[first.upperBound..<last]))
        let isQuoted = partHeader["content-transfer-encoding"] == "quoted-printable"
        let plain = isQuoted ? QuotedPrintable.decoded(text) : text.filter { $0 != 0x0d }
        return String(decoding: plain, as: UTF8.self)
    }

    /// Encoded words (RFC 2047) as ``LetterHeader`` writes them: all of the value, or none of it.
    private static func decodedWords(_ value: String) -> String {
        let words = value.split(separator: " ")
        let decoded = words.map { word -> Data? in
            guard word.hasPrefix("=?utf-8?B?"), word.hasSuffix("?=") else { return nil }
            return Data(base64Encoded: String(word.dropFirst(10).dropLast(2)))
        }
        guard !words.isEmpty, !decoded.contains(nil) else { return value }
        return String(decoding: decoded.compactMap(\.self).joined(), as: UTF8.self)
    }
}
