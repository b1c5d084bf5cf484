import SSOShared

/// A name in a project file that the build replaces with a value: `$(NAME)` and `${NAME}` in Xcode's files, `${name}`
/// and `@string/name` in Android's manifest.
///
/// Sources: Apple, "Build settings reference"; Android, "Inject build variables into the manifest", "String resources".
public enum BuildPlaceholder {
    public static func isIn(_ text: String) -> Bool {
        text.hasPrefix("@") && text.contains("/") || text.utf8.count > longest && text.contains("$")
            || parts(of: text).contains { if case .name = $0 { true } else { false } }
    }

    /// The text with every placeholder that has a value replaced. The others stay.
    ///
    /// - Parameter values: values by name. A resource has its whole reference as its name: `@string/host`.
    public static func filled(_ text: String, with values: [String: String]) -> String {
        guard !values.isEmpty, isIn(text) else { return text }
        var left = mostReplaced
        return filled(text, values, depth: 0, &left)
    }

    /// A plain label.
    static let neutralWord = "placeholder"

    /// The text with a plain label instead of each placeholder, for checks of what is around it.
    static func neutral(_ text: String) -> String {
        parts(of: text).map { part in
            switch part {
            case .text(let text): text
            case .name: neutralWord
            }
        }.joined()
    }

    /// A value may contain placeholders, at most this many levels of them.
    private static let deepest = 10
    /// Values that contain each other several times grow with every level.
    private static let mostReplaced = 1_000
    private static let longest = 4_096

    private static func filled(_ text: String, _ values: [String: String], depth: Int, _ left: inout Int) -> String {
        left -= 1
        guard depth < deepest, left > 0 else { return text }
        if text.hasPrefix("@") { return values[text].map { filled($0, values, depth: depth + 1, &left) } ?? text }
        return parts(of: text).map { part in
            switch part {
            case .text(let text): return text
            case .name(let name, let written):
                // A name can have a placeholder in it: $(SUFFIX_$(CONFIGURATION)).
                guard let value = value(of: filled(name, values, depth: depth + 1, &left), values) else {
                    return written
                }
                return filled(value, values, depth: depth + 1, &left)
            }
        }.joined()
    }

    /// The value of `NAME`, `NAME:lower`, `NAME:upper` or `NAME:default=VALUE`. `nil` for another operator.
    private static func value(of name: String, _ values: [String: String]) -> String? {
        let words = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var value = values[words[0]]
        for operation in words.dropFirst() {
            switch operation {
            case "lower": value = value?.lowercased()
            case "upper": value = value?.uppercased()
            case "rfc1034identifier": value = value.map { replaced($0, by: "-", keeping: "-.") }
            case "c99extidentifier": value = value.map { replaced($0, by: "_", keeping: "_") }
            case _ where operation.hasPrefix("default="): value = value ?? String(operation.dropFirst("default=".count))
            default: return nil
            }
        }
        return value
    }

    private static func replaced(_ text: String, by mark: Character, keeping others: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) ? $0 : mark })
    }

    private enum Part {
        case text(String)
        case name(String, written: String)
    }

    /// The bracket that closes the placeholder at an index. `nil` if none begins there.
    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        var open: [UInt8] = []
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count, let close = closing[bytes[index + 1]] {
                open.append(close)
                index += 1
            } else if bytes[index] == open.last {
                open.removeLast()
            }
            if open.isEmpty { return index > start ? index : nil }
            index += 1
        }
        return nil
    }

    private static let closing = [UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "{"): UInt8(ascii: "}")]

    private static func parts(of text: String) -> [Part] {
        let bytes = Array(text.utf8)
        guard bytes.count <= longest else { return [.text(text)] }
        var parts: [Part] = []
        var (start, index) = (0, 0)
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while index < bytes.count {
            guard let end = end(of: bytes, from: index), end > index + 2 else {
                index += 1
                continue
            }
            if start < index { parts.append(.text(string(start..<index))) }
            parts.append(.name(string(index + 2..<end), written: string(index..<end + 1)))
            index = end + 1
            start = index
        }
        if start < bytes.count { parts.append(.text(string(start..<bytes.count))) }
        return parts
    }
}
