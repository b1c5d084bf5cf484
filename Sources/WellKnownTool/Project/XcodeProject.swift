/// The build settings of an Xcode project, from its `project.pbxproj`.
///
/// The file is a property list in the old style: `{ key = value; … }`, `( a, b, )`, words or quoted texts, and comments.
/// Source: Apple, "Old-Style ASCII Property Lists".
struct XcodeProject: Sendable {
    /// The settings that stand in one place, and the file of more settings below them.
    struct Level: Sendable, Hashable {
        /// The path of the `.xcconfig` file, from the project's folder. `nil` without one.
        let file: String?
        /// The settings as written, with the conditions in their names.
        let settings: [String: String]
    }

    struct Configuration: Sendable, Hashable {
        let target: String
        let isApplication: Bool
        /// The name, such as Release.
        let name: String
        /// The project's settings, and over them those of the target.
        let levels: [Level]
        /// The team that older versions of Xcode write beside the settings.
        let team: String?
    }

    let configurations: [Configuration]

    /// - Throws: ``ProjectFileError`` if the bytes are not such a file.
    init(reading bytes: [UInt8]) throws(ProjectFileError) {
        guard let root = try Self.value(bytes).dictionary, let objects = root["objects"]?.dictionary else {
            throw ProjectFileError("this is not a project.pbxproj: it has no objects")
        }
        let table = Objects(objects)
        let project = table[root["rootObject"]?.text]
        let common = table.levels(project["buildConfigurationList"]?.text)
        let attributes = project["attributes"]?.dictionary?["TargetAttributes"]?.dictionary ?? [:]
        configurations = (project["targets"]?.list ?? []).flatMap { id in
            let target = table[id]
            return table.levels(target["buildConfigurationList"]?.text).map { configuration in
                let base = common.first { $0.name == configuration.name }?.level
                return Configuration(
                    target: target["name"]?.text ?? "",
                    isApplication: target["productType"]?.text == "com.apple.product-type.application",
                    name: configuration.name, levels: [base, configuration.level].compactMap(\.self),
                    team: attributes[id]?.dictionary?["DevelopmentTeam"]?.text)
            }
        }
    }

    /// The value of the file, in the old style or as an XML property list.
    private static func value(_ bytes: [UInt8]) throws(ProjectFileError) -> PropertyList {
        var parser = Parser(bytes)
        let isXML = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
        return try isXML ? PropertyList(reading: bytes) : parser.value(depth: 1)
    }

    private struct Objects {
        private let objects: [String: PropertyList]
        /// The group of each file and group.
        private let parents: [String: String]

        init(_ objects: [String: PropertyList]) {
            self.objects = objects
            var parents: [String: String] = [:]
            for (id, object) in objects {
                for child in object.dictionary?["children"]?.list ?? [] { parents[child] = id }
            }
            self.parents = parents
        }

        subscript(id: String?) -> [String: PropertyList] { id.flatMap { objects[$0]?.dictionary } ?? [:] }

        func levels(_ id: String?) -> [(name: String, level: Level)] {
            (self[id]["buildConfigurations"]?.list ?? []).map { id in
                let configuration = self[id]
                let settings = configuration["buildSettings"]?.dictionary ?? [:]
                let file = configuration["baseConfigurationReference"]?.text.flatMap(path) ?? anchored(configuration)
                return (
                    configuration["name"]?.text ?? "", Level(file: file, settings: settings.compactMapValues(\.joined))
                )
            }
        }

        /// The form of Xcode 16, for files in folders that follow the disk.
        private func anchored(_ configuration: [String: PropertyList]) -> String? {
            guard let relative = configuration["baseConfigurationReferenceRelativePath"]?.text,
                let anchor = configuration["baseConfigurationReferenceAnchor"]?.text.flatMap(path)
            else { return nil }
            return "\(anchor)/\(relative)"
        }

        /// The path of a file or group: each group may add a folder.
        private func path(_ id: String) -> String? {
            var parts: [String] = []
            var next: String? = id
            // A damaged file can have groups in a circle.
            for _ in 0..<50 {
                guard let id = next else { return parts.reversed().joined(separator: "/") }
                let object = self[id]
                if let path = object["path"]?.text { parts.append(path) }
                switch object["sourceTree"]?.text {
                case "<group>", nil: next = parents[id]
                case "SOURCE_ROOT": next = nil
                default: return nil
                }
            }
            return nil
        }
    }

    private struct Parser {
        private let bytes: [UInt8]
        private var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func value(depth: Int) throws(ProjectFileError) -> PropertyList {
            guard depth <= 50 else { throw ProjectFileError("the project file is nested too deeply") }
            skip()
            switch peek {
            case UInt8(ascii: "{"):
                offset += 1
                var members: [String: PropertyList] = [:]
                while try !ends(with: "}") {
                    let key = try word()
                    try expect("=")
                    members[key] = try value(depth: depth + 1)
                    try expect(";")
                }
                return .dictionary(members)
            case UInt8(ascii: "("):
                offset += 1
                var items: [PropertyList] = []
                while try !ends(with: ")") {
                    items.append(try value(depth: depth + 1))
                    skip()
                    if peek == UInt8(ascii: ",") { offset += 1 }
                }
                return .array(items)
            default: return .string(try word())
            }
        }

        private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        private mutating func ends(with mark: Unicode.Scalar) throws(ProjectFileError) -> Bool {
            skip()
            guard let byte = peek else { throw fault("it is cut off") }
            guard byte == UInt8(ascii: mark) else { return false }
            offset += 1
            return true
        }

        private mutating func expect(_ mark: Unicode.Scalar) throws(ProjectFileError) {
            skip()
            guard peek == UInt8(ascii: mark) else { throw fault("\"\(mark)\" is missing") }
            offset += 1
        }

        private mutating func word() throws(ProjectFileError) -> String {
            skip()
            guard let first = peek else { throw fault("it is cut off") }
            var text: [UInt8] = []
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                offset += 1
                while let byte = peek, byte != first {
                    offset += 1
                    guard byte == UInt8(ascii: "\\"), let next = peek else {
                        text.append(byte)
                        continue
                    }
                    offset += 1
                    text += escaped(next)
                }
                guard peek == first else { throw fault("a text is not closed") }
                offset += 1
            } else {
                while let byte = peek, byte > 0x20, !"={}();,\"'".utf8.contains(byte) {
                    text.append(byte)
                    offset += 1
                }
                guard !text.isEmpty else { throw fault("a word is missing") }
            }
            return String(decoding: text, as: UTF8.self)
        }

        /// The character of an escape: `\n`, `\t`, three octal digits, `\U` and four hexadecimal ones, or itself.
        private mutating func escaped(_ first: UInt8) -> [UInt8] {
            func number(_ count: Int, from start: Int, _ radix: Int) -> Unicode.Scalar? {
                guard start + count <= bytes.count else { return nil }
                return UInt32(String(decoding: bytes[start..<start + count], as: UTF8.self), radix: radix)
                    .flatMap(Unicode.Scalar.init)
            }
            switch first {
            case UInt8(ascii: "n"): return [0x0a]
            case UInt8(ascii: "t"): return [0x09]
            case UInt8(ascii: "0")...UInt8(ascii: "3"):
                guard let scalar = number(3, from: offset - 1, 8) else { return [first] }
                offset += 2
                return Array(String(scalar).utf8)
            case UInt8(ascii: "U"):
                guard let scalar = number(4, from: offset, 16) else { return [first] }
                offset += 4
                return Array(String(scalar).utf8)
            default: return [first]
            }
        }

        /// Skips blanks and comments.
        private mutating func skip() {
            while let byte = peek {
                if byte <= 0x20 {
                    offset += 1
                } else if bytes[offset...].starts(with: "/*".utf8) {
                    offset = bytes[offset...].firstRange(of: Array("*/".utf8))?.upperBound ?? bytes.count
                } else if bytes[offset...].starts(with: "//".utf8) {
                    offset = bytes[offset...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.count
                } else {
                    return
                }
            }
        }

        private func fault(_ reason: String) -> ProjectFileError {
            let line = 1 + bytes.prefix(offset).count { $0 == 0x0a }
            return ProjectFileError("line \(line) of the project file is not readable: \(reason)")
        }
    }
}

extension PropertyList {
    /// The text of a value. In an XML file, settings can be true or false.
    fileprivate var text: String? {
        array == nil && dictionary == nil ? string ?? bool.map { $0 ? "YES" : "NO" } ?? "" : nil
    }
    fileprivate var list: [String]? { array?.compactMap(\.text) }
    /// A setting: its text, or the texts of its list with blanks between them.
    fileprivate var joined: String? { text ?? list?.joined(separator: " ") }
}
