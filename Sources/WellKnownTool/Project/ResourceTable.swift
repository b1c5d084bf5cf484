import WellKnown

/// The values of a compiled resource table, by reference: `@resource/0x7f010000`, and `@string/name` where it has names.
///
/// A resource whose value depends on the device is left out. Layout: AOSP, `ResourceTypes.h` and `Resources.proto`.
enum ResourceTable {
    private static let broken = ProjectFileError("the compiled resources are broken or cut off")
    private static let mostEntries = 2_000_000

    /// The values of each resource in all configurations.
    private struct Found {
        private var values: [String: Set<String>] = [:]

        mutating func add(_ name: String, _ value: String) { values[name, default: []].insert(value) }

        var certain: [String: String] { values.compactMapValues { $0.count == 1 ? $0.first : nil } }
    }

    /// Reads `resources.arsc` of an APK.
    ///
    /// - Throws: ``ProjectFileError`` for a table that is cut off or broken.
    static func read(_ bytes: [UInt8]) throws(ProjectFileError) -> [String: String] {
        let reader = BinaryXML(bytes: bytes)
        guard try reader.number(0, 2) == 0x0002 else { throw broken }
        var found = Found()
        var (strings, count): ([String], Int) = ([], 0)
        try chunks(reader, Int(try reader.number(2, 2)), bytes.count) {
            type, offset, header, size throws(ProjectFileError) in
            if type == 0x0001 { strings = try reader.pool(offset, header) }
            guard type == 0x0200 else { return }
            let package = try reader.number(offset + 8, 4)
            try chunks(reader, offset + header, offset + size) { type, offset, header, size throws(ProjectFileError) in
                guard type == 0x0201 else { return }
                try entries(reader, offset..<(offset + size), header, UInt64(package) << 24, strings, &count, &found)
            }
        }
        return found.certain
    }

    private static func chunks(
        _ reader: BinaryXML, _ start: Int, _ end: Int, _ take: (UInt64, Int, Int, Int) throws(ProjectFileError) -> Void
    ) throws(ProjectFileError) {
        var offset = start
        while offset + 8 <= end {
            let (header, size) = (Int(try reader.number(offset + 2, 2)), Int(try reader.number(offset + 4, 4)))
            guard size >= 8, header >= 8, header <= size, size <= end - offset else { throw broken }
            try take(try reader.number(offset, 2), offset, header, size)
            offset += size
        }
    }

    /// The simple values of a type in one configuration.
    private static func entries(
        _ reader: BinaryXML, _ range: Range<Int>, _ header: Int, _ package: UInt64, _ strings: [String],
        _ count: inout Int, _ found: inout Found
    ) throws(ProjectFileError) {
        let start = range.lowerBound
        let id = package | (try reader.number(start + 8, 1)) << 16
        let flags = try reader.number(start + 9, 1)
        let number = Int(try reader.number(start + 12, 4))
        let first = start + Int(try reader.number(start + 16, 4))
        count += number
        guard count <= mostEntries, number <= range.count else { throw broken }
        for index in 0..<number {
            let (entry, offset): (Int, Int)
            if flags & 0x01 != 0 {
                let place = start + header + index * 4
                (entry, offset) = (Int(try reader.number(place, 2)), Int(try reader.number(place + 2, 2)) * 4)
            } else if flags & 0x02 != 0 {
                let value = Int(try reader.number(start + header + index * 2, 2))
                guard value != 0xffff else { continue }
                (entry, offset) = (index, value * 4)
            } else {
                let value = Int(try reader.number(start + header + index * 4, 4))
                guard value != 0xffff_ffff else { continue }
                (entry, offset) = (index, value)
            }
            guard let value = try value(reader, first + offset, strings) else { continue }
            found.add("@resource/0x" + String(id | UInt64(entry), radix: 16), value)
        }
    }

    /// The value of an entry, or `nil` for one with parts.
    private static func value(
        _ reader: BinaryXML, _ place: Int, _ strings: [String]
    ) throws(ProjectFileError) -> String? {
        let flags = try reader.number(place + 2, 2)
        if flags & 0x0008 != 0 { return reader.text(flags >> 8, try reader.number(place + 4, 4), strings) }
        guard flags & 0x0001 == 0 else { return nil }
        let value = place + Int(try reader.number(place, 2))
        return reader.text(try reader.number(value + 3, 1), try reader.number(value + 4, 4), strings)
    }

    /// Reads `base/resources.pb` of an app bundle.
    ///
    /// - Throws: ``ProjectFileError`` for a message that is cut off or broken.
    static func read(bundle bytes: [UInt8]) throws(ProjectFileError) -> [String: String] {
        let reader = ProtoXML(bytes: bytes)
        var found = Found()
        // ResourceTable: package = 2. Package: package_id = 1, type = 3. Type: type_id = 1, name = 2, entry = 3.
        for package in try reader.parts(0..<bytes.count, 2) {
            let packageID = try reader.identifier(package)
            for type in try reader.parts(package, 3) {
                let typeID = try reader.identifier(type)
                let name = try reader.parts(type, 2).first.map(reader.text) ?? ""
                // Entry: entry_id = 1, name = 2, config_value = 6. ConfigValue: value = 2. Value: item = 4.
                for entry in try reader.parts(type, 3) {
                    let id = packageID << 24 | typeID << 16 | (try reader.identifier(entry))
                    let own = try reader.parts(entry, 2).first.map(reader.text) ?? ""
                    for config in try reader.parts(entry, 6) {
                        for value in try reader.parts(config, 2) {
                            for item in try reader.parts(value, 4) {
                                let text = try reader.item(item)
                                found.add("@resource/0x" + String(id, radix: 16), text)
                                found.add("@\(name)/\(own)", text)
                            }
                        }
                    }
                }
            }
        }
        return found.certain
    }
}
