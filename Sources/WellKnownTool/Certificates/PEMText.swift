import Foundation

/// The blocks of a text in PEM (RFC 7468), lax about what stands around them.
enum PEMText {
    struct Block: Equatable {
        /// What stands after BEGIN.
        let label: String
        let bytes: [UInt8]
    }

    /// More than any chain or profile has.
    private static let maximumBlocks = 256

    static func mayBe(_ bytes: some Collection<UInt8>) -> Bool {
        String(decoding: bytes.prefix(65_536), as: UTF8.self).contains("-----BEGIN ")
    }

    /// - Throws: ``CertificateFault/malformed(_:)`` for a block that is not closed or not base64.
    static func blocks(of text: [UInt8]) throws(CertificateFault) -> [Block] {
        var blocks: [Block] = []
        var open: (label: String, digits: [UInt8])?
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = trimmed(line)
            if let label = marked("BEGIN", in: words) {
                open = (label, [])
            } else if let label = marked("END", in: words) {
                guard let block = open, block.label == label else {
                    throw .malformed("an END line of PEM has no BEGIN line")
                }
                guard let bytes = Data(base64Encoded: Data(block.digits)) else {
                    throw .malformed("a block of PEM (\(label)) is not base64")
                }
                guard blocks.count < maximumBlocks else { throw .malformed("it has more than \(maximumBlocks) blocks") }
                blocks.append(Block(label: label, bytes: Array(bytes)))
                open = nil
            } else if open != nil, !words.contains(UInt8(ascii: ":")) {
                open?.digits.append(contentsOf: words)
            }
        }
        guard open == nil else { throw .malformed("a block of PEM has no END line") }
        return blocks
    }

    private static func marked(_ word: String, in line: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: line, as: UTF8.self)
        let start = "-----\(word) "
        guard text.hasPrefix(start), text.hasSuffix("-----"), text.utf8.count > start.utf8.count + 5 else { return nil }
        return String(text.dropFirst(start.count).dropLast(5))
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = line.drop(while: { $0 == 0x20 || $0 == 0x09 })
        let end = start.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { start[...$0] } ?? []
    }
}
