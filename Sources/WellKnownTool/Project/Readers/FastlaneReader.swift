import Foundation
import SSOShared
import WellKnown

/// Reads the team and the bundle id of fastlane's Appfile. They complete the apps that other readers find.
enum FastlaneReader: ProjectReader {
    private static let kind = "fastlane Appfile"

    static func takes(_ path: String) -> Bool { ProjectFolder.name(of: path) == "Appfile" }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var offer = ProjectOffer()
        for path in folder.paths(named: "Appfile") {
            guard let bytes = folder.bytes(path, kind, &offer.notes) else { continue }
            let file = Appfile(bytes, defined)
            offer.notes.append(folder.note(path, kind, file.words))
            if !file.id.isUnknown { offer.completing.append(file.id) }
        }
        return offer
    }
}

/// The statements of an Appfile about the app's id.
///
/// An Appfile is a Ruby program. A statement counts if its value is a literal text or a variable of the environment that
/// is given, and if it is outside of blocks or in one for iOS. What a condition or one lane alone decides does not count.
///
/// Source: fastlane, "Appfile"; fastlane_core, app_file_config.rb (`for_platform`, `for_lane`).
struct Appfile {
    private enum Block { case ios, other }

    private(set) var id = AppleAppParts()
    /// The statements that do not count, and were not overridden by one that does.
    private var unread: Set<String> = []

    private static var names: [(name: String, part: WritableKeyPath<AppleAppParts, String?>)] {
        [("team_id", \.prefix), ("app_identifier", \.bundle)]
    }
    private static let openers = ["if", "unless", "case", "begin", "while", "until", "def", "for"]

    init(_ bytes: [UInt8], _ defined: [String: String]) {
        var blocks: [Block] = []
        var general = AppleAppParts()
        var ios = AppleAppParts()
        for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let code = Self.code(line)
            let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            if code.hasSuffix(" do") || code.hasSuffix("{") || code.hasSuffix("|") {
                blocks.append(words.starts(with: ["for_platform", "ios"]) ? .ios : .other)
            } else if let first = words.first, Self.openers.contains(String(first)) {
                blocks.append(.other)
            } else if ["end", "=end", "}"].contains(code) {
                blocks.removeLast(min(1, blocks.count))
            } else if let (name, part) = Self.names.first(where: { words.first == $0.name[...] }) {
                let value = Self.value(code.dropFirst(name.utf8.count), defined)
                if value == nil || blocks.contains(.other) {
                    unread.insert(name)
                } else if blocks.isEmpty {
                    general[keyPath: part] = value
                } else {
                    ios[keyPath: part] = value
                }
            }
        }
        id = AppleAppParts(prefix: ios.prefix ?? general.prefix, bundle: ios.bundle ?? general.bundle)
    }

    /// What was found, for the list of what was looked at.
    var words: String {
        let found = Self.names.map { name, part in
            id[keyPath: part].map { "\(name) \($0)" } ?? (unread.contains(name) ? "\(name) not read" : "no \(name)")
        }
        let isPartial = Self.names.contains { name, part in id[keyPath: part] == nil && unread.contains(name) }
        return found.joined(separator: ", ") + (isPartial ? ": a program computes it. Give --app PREFIX.bundle.id" : "")
    }

    /// A line without its comment and the blanks around it.
    private static func code(_ line: ArraySlice<UInt8>) -> String {
        var quote: UInt8?
        let code = line.prefix { byte in
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote != nil || byte != UInt8(ascii: "#")
        }
        return String(decoding: code, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }

    /// The value of a statement: a text in quotes, or the given value of a variable of the environment.
    private static func value(_ written: Substring, _ defined: [String: String]) -> String? {
        var text = written.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("("), text.hasSuffix(")") { text = String(text.dropFirst().dropLast()) }
        text = text.trimmingCharacters(in: .whitespaces)
        var value = literal(text)
        for (start, end) in [("ENV[", "]"), ("ENV.fetch(", ")")] where text.hasPrefix(start) && text.hasSuffix(end) {
            value = literal(String(text.dropFirst(start.count).dropLast())).flatMap { defined[$0] }
        }
        let isName = value?.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        }
        return isName == true && value?.isEmpty == false ? value : nil
    }

    private static func literal(_ text: String) -> String? {
        guard text.utf8.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
            return nil
        }
        let inner = text.dropFirst().dropLast()
        return inner.contains { $0 == quote || $0 == "\\" || $0 == "#" } ? nil : String(inner)
    }
}
