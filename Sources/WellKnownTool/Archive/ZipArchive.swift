import Foundation

/// A zip archive as Android reads an APK: only the central directory determines its entries.
///
/// Layout: PKWARE APPNOTE 4.3. There is no zip64 support, because Android rejects zip64 in an APK.
struct ZipArchive {
    enum ArchiveError: Error, Equatable {
        case notAnArchive
        case malformed(String)
    }

    struct Entry: Equatable {
        let name: String
        /// 0 is stored, 8 is deflated.
        let method: UInt16
        let packedSize: Int
        let size: Int
        let headerOffset: Int
    }

    let data: Data
    let entries: [Entry]
    /// The start of the central directory. The APK's signing block is immediately before it.
    let directoryOffset: Int

    /// Archives with more entries are rejected. Android itself has a limit of 65 535.
    private static let maximumEntries = 65_535

    /// Whether it is an Android App Bundle: each has a base module, and bundletool adds its own configuration.
    var isBundle: Bool {
        entries.contains { ["BundleConfig.pb", "base/manifest/AndroidManifest.xml"].contains($0.name) }
    }

    static func mayBe(_ data: Data) -> Bool {
        [[0x50, 0x4b, 0x03, 0x04], [0x50, 0x4b, 0x05, 0x06]].contains(Array(data.prefix(4)))
    }

    init(_ data: Data) throws(ArchiveError) {
        let data = data.startIndex == 0 ? data : Data(data)
        guard let end = Self.endRecord(data) else { throw .notAnArchive }
        let size = Int(Self.number(data, end + 12, 4))
        let offset = Int(Self.number(data, end + 16, 4))
        let count = Int(Self.number(data, end + 10, 2))
        guard offset <= end, size <= end - offset else {
            throw .malformed("its central directory lies outside of the file")
        }
        var entries: [Entry] = []
        var next = offset
        while entries.count < min(count, Self.maximumEntries) {
            guard next + 46 <= offset + size, Self.number(data, next, 4) == 0x0201_4b50 else {
                throw .malformed("its central directory breaks off at entry \(entries.count)")
            }
            let lengths = [28, 30, 32].map { Int(Self.number(data, next + $0, 2)) }
            let following = next + 46 + lengths[0] + lengths[1] + lengths[2]
            guard following <= offset + size else {
                throw .malformed("its central directory breaks off at entry \(entries.count)")
            }
            entries.append(
                Entry(
                    name: String(decoding: data[(next + 46)..<(next + 46 + lengths[0])], as: UTF8.self),
                    method: UInt16(Self.number(data, next + 10, 2)), packedSize: Int(Self.number(data, next + 20, 4)),
                    size: Int(Self.number(data, next + 24, 4)), headerOffset: Int(Self.number(data, next + 42, 4))))
            next = following
        }
        self.data = data
        self.entries = entries
        directoryOffset = offset
    }

    /// Returns the unpacked bytes of an entry.
    ///
    /// - Parameter limit: the maximum size of the result.
    func contents(of entry: Entry, limit: Int) throws(ArchiveError) -> [UInt8] {
        let header = entry.headerOffset
        guard header + 30 <= directoryOffset, Self.number(data, header, 4) == 0x0403_4b50 else {
            throw .malformed("the entry \(entry.name) is not where the directory says")
        }
        let start = header + 30 + Int(Self.number(data, header + 26, 2)) + Int(Self.number(data, header + 28, 2))
        guard start <= directoryOffset, entry.packedSize <= directoryOffset - start, entry.packedSize <= limit else {
            throw .malformed("the entry \(entry.name) is larger than it may be")
        }
        let packed = Array(data[start..<(start + entry.packedSize)])
        switch entry.method {
        case 0: return packed
        case 8:
            do { return try Inflate.unpack(packed, limit: limit) } catch {
                throw .malformed("the entry \(entry.name) cannot be unpacked")
            }
        default: throw .malformed("the entry \(entry.name) is packed in a way Android does not know")
        }
    }

    /// The end record is at the end of the file. Only a comment can follow it, whose length the record contains.
    private static func endRecord(_ data: Data) -> Int? {
        guard data.count >= 22 else { return nil }
        let lowest = max(0, data.count - 22 - 65_535)
        return stride(from: data.count - 22, through: lowest, by: -1).first { start in
            data[start] == 0x50 && number(data, start, 4) == 0x0605_4b50
                && Int(number(data, start + 20, 2)) == data.count - start - 22
        }
    }

    /// Reads a little-endian number. The caller has checked that its bytes are inside the data.
    static func number(_ data: Data, _ offset: Int, _ count: Int) -> UInt64 {
        guard offset >= 0, count >= 0, offset <= data.count - count else { return 0 }
        return data[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
