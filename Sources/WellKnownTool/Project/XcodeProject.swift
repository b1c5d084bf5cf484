/// The build settings of an Xcode project, from its `project.pbxproj`.
///
/// The file is a property list in the old style: `{ key = value; … }`, `( a, b, )`, words or quoted texts, and comments.
/// Source: Apple, "Old-Style ASCII Property Lists".
struct XcodeProject: Sendable {
    /// The settings of one target in one configuration.
    struct Configuration: Sendable, Hashable {
        let target: String
        let isApplication: Bool
        /// The name, such as Release.
        let name: String
        /// The target's settings over those of the project.
        let settings: [String: String]
    }

    let configurations: [Configuration]

    /// - Throws: ``ProjectFileError`` if the bytes are not such a file.
    init(reading bytes: [UInt8]) throws(ProjectFileError) {
        var parser = Parser(bytes)
        guard case .dictionary(let root) = try parser.value(depth: 1), case .dictionary(let objects)? = root["objects"]
        else { throw ProjectFileError("this is not a project.pbxproj: it has no objects") }

        func object(_ id: String?) -> [String: Value] {
            guard let id, case .dictionary(let members)? = objects[id] else { return [:] }
            return members
        }
        func lists(_ id: String?) -> [(name: String, settings: [String: String])] {
            (object(id)["buildConfigurations"]?.list ?? []).map { id in
                let configuration = object(id)
                guard case .dictionary(let settings)? = configuration["buildSettings"] else { return ("", [:]) }
                return (configuration["name"]?.text ?? "", settings.compactMapValues(\.text))
            }
        }
        let project = object(root["rootObject"]?.text)
        let common = lists(project["buildConfigurationList"]?.text)
        let targets = (project["targets"]?.list ?? []).map(object)
        configurations = targets.flatMap { target in
            lists(target["buildConfigurationList"]?.text).map { configuration in
                let base = common.first { $0.name == configuration.name }?.settings ?? [:]
                return Configuration(
                    target: target["name"]?.text ?? "",
                    isApplication: target["productType"]?.text == "com.apple.product-type.application",
                    name: configuration.name, settings: base.merging(configuration.settings) { $1 })
            }
        }
    }

    indirect enum Value {
        case text(String)
        case list([Value])
        case dictionary([String: Value])

        var text: String? { if case .text(let text) = self { text } else { nil } }
        var list: [String]? { if case .list(let items) = self { items.compactMap(\.text) } else { nil } }
    }

    private struct Parser {
        private let bytes: [UInt8]
        private var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func value(depth: Int) throws(ProjectFileError) -> Value {
            guard depth <= 50 else { throw ProjectFileError("the project file is nested too deeply") }
            skip()
            switch peek {
            case UInt8(ascii: "{"):
                offset += 1
                var members: [String: Value] = [:]
                while try !ends(with: "}") {
                    let key = try word()
                    try expect("=")
                    members[key] = try value(depth: depth + 1)
                    try expect(";")
                }
                return .dictionary(members)
            case UInt8(ascii: "("):
                offset += 1
                var items: [Value] = []
                while try !ends(with: ")") {
                    items.append(try value(depth: depth + 1))
                    skip()
                    if peek == UInt8(ascii: ",") { offset += 1 }
                }
                return .list(items)
            default: return .text(try word())
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
                    text.append(next == UInt8(ascii: "n") ? 0x0a : next == UInt8(ascii: "t") ? 0x09 : next)
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

        /// Skips blanks and comments.
        private mutating func skip() {
            while let byte = peek {
                if byte <= 0x20 {
                    offset += 1
                } else if bytes[offset...].starts(with: "/*".utf8) {
                    offset = bytes[offset...].firstRange(of: Array("*/".utf8))?.upperBound ?? bytes.count
                } else if bytes[offset...].starts(with: "//".utf8) {
                    offset = bytes[offset...].firstIndex(of: 0x0a) ?? bytes.count
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

/// The settings of an `.xcconfig` file: lines of `NAME = value`.
///
/// Source: Apple, "Adding a build configuration file to your project".
enum XcodeSettingsFile {
    static func values(_ bytes: [UInt8]) -> [String: String] {
        var values: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            // A comment begins with //. An address has a colon before its slashes, and Xcode cuts it all the same.
            let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            guard let equals = text.firstIndex(of: "="), !text.hasPrefix("#") else { continue }
            let name = text[..<equals].prefix { $0 != "[" }.filter { !$0.isWhitespace }
            let value = text[text.index(after: equals)...].drop(while: \.isWhitespace)
            values[String(name)] = String(value.reversed().drop(while: \.isWhitespace).reversed())
        }
        return values
    }
}
