import Foundation

/// The block between the contents and the central directory of an APK that holds its signatures.
///
/// Source: Android, "APK Signature Scheme v2", section "APK Signing Block".
struct APKSigningBlock {
    enum Scheme: UInt32, CaseIterable {
        case v2 = 0x7109_871a
        case v3 = 0xf053_68c0
        /// For Android 13 and later, beside v3: a rotated key that older systems shall not see.
        case v31 = 0x1b93_ad61

        var name: String {
            switch self {
            case .v2: "APK signature scheme v2"
            case .v3: "APK signature scheme v3"
            case .v31: "APK signature scheme v3.1"
            }
        }
    }

    /// The value of each scheme that is there; of doubles the first, as Android has it.
    let values: [Scheme: ArraySlice<UInt8>]

    /// Certificates and digests are some kilobytes; stores add their own marks.
    private static let maximumSize: UInt64 = 32 << 20
    private static let magic = Array("APK Sig Block 42".utf8)

    /// - Returns: `nil` for an archive without such a block.
    init?(_ archive: ZipArchive) throws(CertificateFault) {
        let (data, end) = (archive.data, archive.directoryOffset)
        guard end >= 32, Array(data[(end - 16)..<end]) == Self.magic else { return nil }
        // The size counts everything after its own first field; it stands at both ends.
        let size = ZipArchive.number(data, end - 24, 8)
        guard size >= 24, size <= UInt64(end - 8), size <= Self.maximumSize else {
            throw .malformed("the size of its signing block is not possible")
        }
        let start = end - Int(size) - 8
        guard ZipArchive.number(data, start, 8) == size else {
            throw .malformed("its signing block has two sizes")
        }
        var cursor = ByteCursor(data[(start + 8)..<(end - 24)])
        var values: [Scheme: ArraySlice<UInt8>] = [:]
        while !cursor.isAtEnd {
            let length = try cursor.littleEndian(8)
            guard length >= 4, length <= UInt64(cursor.rest.count) else {
                throw .malformed("an entry of its signing block is longer than the block")
            }
            let id = UInt32(truncatingIfNeeded: try cursor.littleEndian(4))
            let value = try cursor.take(Int(length) - 4)
            if let scheme = Scheme(rawValue: id), values[scheme] == nil { values[scheme] = value }
        }
        self.values = values
    }
}
