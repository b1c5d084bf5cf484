/// Finds the content in a CMS SignedData (RFC 5652 section 5.1) by walking its BER: no cryptography, no recursion beyond
/// the levels that the structure has.
struct CMSContent {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// `eContent` of `encapContentInfo`; `nil` when it is detached or the structure is another.
    static func find(in body: [UInt8]) -> [UInt8]? {
        // ContentInfo: SEQUENCE { OID, [0] SEQUENCE { version, algorithms, SEQUENCE { OID, [0] OCTET STRING } … } }
        guard let info = CMSContent(body[...]).only(0x30),
            let explicit = CMSContent(info).after(1, 0xa0),
            let signedData = CMSContent(explicit).only(0x30),
            let encapsulated = CMSContent(signedData).after(2, 0x30),
            let content = CMSContent(encapsulated).after(1, 0xa0)
        else { return nil }
        var walk = CMSContent(content)
        guard let element = walk.next() else { return nil }
        switch element.tag {
        case 0x04: return Array(element.content)
        case 0x24: return chunks(element.content)
        default: return nil
        }
    }

    /// BER allows an OCTET STRING in pieces, and OpenSSL writes it so when it streams.
    private static func chunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var walk = CMSContent(bytes)
        var content: [UInt8] = []
        while let piece = walk.next(), piece.tag == 0x04 { content += piece.content }
        return content
    }

    private func only(_ tag: UInt8) -> ArraySlice<UInt8>? { after(0, tag) }

    /// The content of the element behind `count` others, if it has that tag.
    private func after(_ count: Int, _ tag: UInt8) -> ArraySlice<UInt8>? {
        var walk = self
        for _ in 0..<count where walk.next() == nil { return nil }
        guard let element = walk.next(), element.tag == tag else { return nil }
        return element.content
    }

    private mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = byte(), let first = byte() else { return nil }
        if first == 0x80 {
            // Of indefinite length: the end is somewhere behind; what is asked for stands at the front.
            let content = bytes[index...]
            guard let end = Self.end(ofIndefinite: content) else { return nil }
            index = end.next
            return (tag, content[..<end.content])
        }
        guard let length = length(first), length <= bytes.endIndex - index else { return nil }
        let content = bytes[index..<index + length]
        index += length
        return (tag, content)
    }

    /// Where an element of indefinite length ends: two zero bytes on its own level. One pass, with a count of levels.
    private static func end(ofIndefinite content: ArraySlice<UInt8>) -> (content: Int, next: Int)? {
        var walk = CMSContent(content)
        var open = 1
        while let tag = walk.byte(), let first = walk.byte() {
            if tag == 0, first == 0 {
                open -= 1
                if open == 0 { return (walk.index - 2, walk.index) }
            } else if first == 0x80 {
                open += 1
            } else {
                guard let length = walk.length(first), length <= content.endIndex - walk.index else { return nil }
                walk.index += length
            }
        }
        return nil
    }

    private mutating func byte() -> UInt8? {
        guard index < bytes.endIndex else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// X.690 section 8.1.3; four bytes are more than any body has.
    private mutating func length(_ first: UInt8) -> Int? {
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7f)
        guard (1...4).contains(count) else { return nil }
        var length = 0
        for _ in 0..<count {
            guard let next = byte() else { return nil }
            length = length << 8 | Int(next)
        }
        return length
    }
}
