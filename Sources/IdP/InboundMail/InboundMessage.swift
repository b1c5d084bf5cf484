import SSOShared

/// A message, divided into its header fields and its body. Lines end in LF.
struct InboundMessage: Sendable {
    let fields: [HeaderField]
    let body: ArraySlice<UInt8>
    /// The sender in the line `From …` that a pipe transport writes before the message (mbox), if there is one.
    let envelopeSender: ArraySlice<UInt8>?

    /// Fields that occur at most once (RFC 5322 3.6, RFC 2045). From is counted where it is read.
    private static let single = [
        "subject", "date", "message-id", "to", "sender", "mime-version", "content-type", "content-disposition",
    ]

    init(_ bytes: [UInt8]) throws(ReplyMessageError) {
        guard bytes.count <= InboundMailLimits.messageBytes else { throw .tooLarge }
        guard !bytes.contains(0) else { throw .nulByte }
        var lines = try LineEnds.normalized(bytes[...])[...]
        envelopeSender = Self.envelopeLine(&lines)
        let section = try HeaderSection(lines)
        guard !section.fields.isEmpty else { throw .headerMalformed }
        guard String(validating: section.header, as: UTF8.self) != nil else { throw .headerNotUTF8 }
        for name in Self.single {
            guard section.fields.count(where: { $0.name == name }) < 2 else { throw .headerRepeated }
        }
        // One that is written twice in the same way has one reading.
        guard TransferEncoding(section.fields.values("content-transfer-encoding")) != nil else { throw .headerRepeated }
        fields = section.fields
        body = section.body
    }

    /// The values of the fields with this name, from top to bottom.
    func values(_ name: String) -> [ArraySlice<UInt8>] { fields.values(name) }

    /// Removes a first line `From sender date` and returns the sender.
    private static func envelopeLine(_ lines: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard lines.starts(with: "From ".utf8) else { return nil }
        let end = lines.firstIndex(of: 0x0a) ?? lines.endIndex
        let sender = lines[(lines.startIndex + 5)..<end].prefix { $0 != 0x20 }
        lines = lines[min(end + 1, lines.endIndex)...]
        return sender
    }
}

/// One field of a header.
struct HeaderField: Sendable {
    /// In lower case.
    let name: String
    /// What follows the colon, unfolded (RFC 5322 2.2.3): without line ends, white space kept.
    let value: ArraySlice<UInt8>
}

extension [HeaderField] {
    /// The values of the fields with this name, from top to bottom.
    func values(_ name: String) -> [ArraySlice<UInt8>] { filter { $0.name == name }.map(\.value) }
}

/// The header of a message or of a part of one, and what follows it.
struct HeaderSection {
    let fields: [HeaderField]
    let header: ArraySlice<UInt8>
    let body: ArraySlice<UInt8>

    /// Divides bytes whose lines end in LF.
    ///
    /// Strict where mail programs differ: `From : a@b`, a line without a colon and a folded line of spaces end the header
    /// for some and not for others, so none of them is accepted.
    init(_ bytes: ArraySlice<UInt8>) throws(ReplyMessageError) {
        var fields: [HeaderField] = []
        var name: String?
        var value: [UInt8] = []
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let end = bytes[position...].firstIndex(of: 0x0a) ?? bytes.endIndex
            let line = bytes[position..<end]
            if line.isEmpty { break }
            guard end - bytes.startIndex <= InboundMailLimits.headerBytes else { throw .headerTooLong }
            guard line.allSatisfy({ ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }) else { throw .headerMalformed }
            if line.first?.isBlank == true {
                guard name != nil, !line.allSatisfy(\.isBlank) else { throw .headerMalformed }
                value += line
            } else {
                if let name { fields.append(HeaderField(name: name, value: value[...])) }
                let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.startIndex
                guard !line[..<colon].isEmpty, line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                    throw .headerMalformed
                }
                name = String(decoding: line[..<colon].map(\.asciiLowercased), as: UTF8.self)
                value = Array(line[(colon + 1)...])
            }
            guard value.count <= InboundMailLimits.fieldBytes else { throw .headerFieldTooLong }
            guard fields.count < InboundMailLimits.fields else { throw .tooManyHeaderFields }
            position = min(end + 1, bytes.endIndex)
        }
        if let name { fields.append(HeaderField(name: name, value: value[...])) }
        self.fields = fields
        header = bytes[..<position]
        // The empty line itself is neither header nor body.
        body = bytes[min(position + 1, bytes.endIndex)...]
    }
}

/// The ends of lines.
enum LineEnds {
    /// The bytes with LF at each line end. Either all lines end in CRLF or all in LF, and no CR stands alone: what is one
    /// line to us must not be two to another program.
    static func normalized(_ bytes: ArraySlice<UInt8>) throws(ReplyMessageError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var (isCRLF, isLF, previous) = (false, false, UInt8(0))
        for byte in bytes {
            if previous == 0x0d, byte != 0x0a { throw .lineEnds }
            if byte == 0x0a {
                if previous == 0x0d { isCRLF = true } else { isLF = true }
            }
            if byte != 0x0d { result.append(byte) }
            previous = byte
        }
        guard previous != 0x0d, !(isCRLF && isLF) else { throw .lineEnds }
        return result
    }
}

extension UInt8 {
    /// A space or a tab: the white space within a line (RFC 5234 B.1, WSP).
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        var rest = self
        while rest.first?.isBlank == true { rest.removeFirst() }
        while rest.last?.isBlank == true { rest.removeLast() }
        return rest
    }

    /// With ASCII letters in lower case, as text. Bytes that are not UTF-8 become U+FFFD.
    var lowercasedText: String { String(decoding: map(\.asciiLowercased), as: UTF8.self) }
}
