/// A user's picture, byte for byte as it was given. Its kind is read from its first bytes; nothing is decoded or re-encoded here.
package struct ProfilePicture: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case png, jpeg, webp

        package var contentType: String { "image/\(rawValue)" }
    }

    /// Why a file is no picture.
    package enum PictureError: String, Error, CaseIterable {
        case missing
        case tooLarge = "too_large"
        case otherKind = "other_kind"
        /// Its end, or a part that each file of its kind has, is not there.
        case damaged
    }

    package static let maximumBytes = 64 << 10

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws(PictureError) {
        guard !bytes.isEmpty else { throw .missing }
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
        guard let kind = Kind.allCases.first(where: { $0.begins(bytes) }) else { throw .otherKind }
        guard kind.isWhole(bytes) else { throw .damaged }
        (self.kind, self.bytes) = (kind, bytes)
    }

    init(kind: Kind, stored bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
}

extension ProfilePicture.Kind {
    fileprivate func begins(_ bytes: [UInt8]) -> Bool {
        switch self {
        // PNG, third edition, 5.2.
        case .png: bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        // ISO/IEC 10918-1, B.1.1.3: the start of an image, and of its next marker.
        case .jpeg: bytes.starts(with: [0xff, 0xd8, 0xff])
        // RFC 9649, 2.4.
        case .webp: bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
        }
    }

    /// Whether the end is there, so that a file that was cut off is refused at once and not shown in half.
    fileprivate func isWhole(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .png:
            bytes.dropFirst(12).starts(with: "IHDR".utf8)
                && bytes.suffix(12).elementsEqual([0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82])
        case .jpeg: bytes.count > 4 && bytes.suffix(2).elementsEqual([0xff, 0xd9])
        case .webp:
            bytes.count > 20 && bytes.dropFirst(12).starts(with: "VP8".utf8)
                && bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count - 8
        }
    }
}
