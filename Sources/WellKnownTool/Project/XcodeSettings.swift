/// Build settings of Xcode, merged from their places.
///
/// Sources: Apple, "Adding a build configuration file to your project", "Build settings reference".
struct XcodeSettings {
    private(set) var values: [String: String] = [:]
    private let configuration: String

    init(configuration: String) { self.configuration = configuration }

    /// Puts the settings of one place over the present ones. Of one name, the one with the most conditions that fit wins.
    mutating func add(_ settings: [(name: String, value: String)]) {
        var best: [String: (conditions: Int, value: String)] = [:]
        for (written, value) in settings {
            guard let (name, conditions) = fitting(written) else { continue }
            if let present = best[name], present.conditions > conditions { continue }
            let below = best[name]?.value ?? values[name] ?? ""
            let inherited = ["$(inherited)", "${inherited}", "$(\(name))", "${\(name)}"].reduce(value) {
                $0.replacing($1, with: below)
            }
            best[name] = (conditions, inherited)
        }
        for (name, item) in best { values[name] = item.value }
    }

    /// The name without its conditions, and how many there are. `nil` if one does not fit a build for a phone.
    private func fitting(_ written: String) -> (name: String, conditions: Int)? {
        let parts = written.split(separator: "[").map(String.init)
        guard let name = parts.first else { return nil }
        let conditions = parts.dropFirst().flatMap { $0.split { $0 == "]" || $0 == "," } }.map(String.init)
        for condition in conditions where !condition.allSatisfy(\.isWhitespace) {
            let sides = condition.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            guard sides.count == 2 else { return nil }
            let actual: [String]
            switch sides[0] {
            // Any version of the SDK may be the one that is installed.
            case "sdk": actual = sides[1].hasPrefix("iphoneos") ? [sides[1]] : ["iphoneos"]
            case "arch": actual = ["arm64"]
            case "config": actual = [configuration]
            case "variant": actual = ["normal"]
            default: return nil
            }
            guard actual.contains(where: { Wildcard.matches($0, sides[1]) }) else { return nil }
        }
        return (name.filter { !$0.isWhitespace }, conditions.count)
    }
}

/// The lines of an `.xcconfig` file: `NAME = value` and `#include "file"`.
enum XcodeSettingsFile {
    enum Line: Equatable {
        case setting(name: String, value: String)
        case include(file: String, isOptional: Bool)
    }

    static func lines(_ bytes: [UInt8]) -> [Line] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            // A comment begins with //. An address has a colon before its slashes, and Xcode cuts it all the same.
            let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            let trimmed = trimmed(text)
            if trimmed.hasPrefix("#include") {
                // The path may have // in it, which begins no comment here.
                let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
                return parts.count > 2
                    ? .include(file: String(parts[1]), isOptional: trimmed.hasPrefix("#include?")) : nil
            }
            guard !trimmed.hasPrefix("#"), let equals = equals(in: trimmed) else { return nil }
            let name = trimmed[..<equals].filter { !$0.isWhitespace }
            var value = Self.trimmed(trimmed[trimmed.index(after: equals)...][...])
            if value.hasSuffix(";") { value = Self.trimmed(value.dropLast()) }
            // A project that can be built has no quotation marks in these values.
            if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            return .setting(name: String(name), value: value)
        }
    }

    /// The equals sign after the name and its conditions, which have equals signs, too.
    private static func equals(in text: String) -> String.Index? {
        var depth = 0
        return text.indices.first { index in
            if text[index] == "[" { depth += 1 }
            if text[index] == "]" { depth -= 1 }
            return text[index] == "=" && depth == 0
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
