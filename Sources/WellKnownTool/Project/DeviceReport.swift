import WellKnown

/// What a device says about links: the output of `adb shell pm get-app-links`, or `swcutil_show.txt` of a sysdiagnose.
///
/// Sources: Android, "Verify Android App Links", section "Review the verification results"; Apple, TN3155 "Debugging
/// universal links".
struct DeviceReport: Sendable {
    struct AndroidApp: Sendable {
        let package: String
        /// The fingerprints of the installed app, as the device writes them.
        var signatures: [String] = []
        /// The state of each host: a word, or a number from 1024 on.
        var states: [(host: String, state: String)] = []
        /// Whether the user lets the app open links at all.
        var isAllowed: Bool?
        /// The hosts that the user has switched off.
        var disabled: [String] = []
    }

    /// One pair of service and domain on an Apple device: its fields by name.
    struct AppleEntry: Sendable, Hashable {
        var fields: [String: String] = [:]

        subscript(name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
    }

    private(set) var android: [AndroidApp] = []
    private(set) var apple: [AppleEntry] = []

    static let maximumBytes = 16 << 20

    /// - Returns: `nil` if the text is neither of the two.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        if lines.contains(where: { $0.drop(while: \.isWhitespace).hasPrefix("Service:") }) {
            readApple(lines)
        } else {
            readAndroid(lines)
        }
        guard !android.isEmpty || !apple.isEmpty else { return nil }
    }

    // MARK: Android

    private enum Section { case other, states, disabled }

    private mutating func readAndroid(_ lines: [Substring]) {
        var section = Section.other
        // A report that was copied from a page can be indented as a whole.
        let indents = lines.map { $0.prefix { $0 == " " || $0 == "\t" }.count }
        let margin = zip(lines, indents).filter { $0.0.contains("Signatures:") }.map { $0.1 - 2 }.min() ?? 2
        for (line, depth) in zip(lines, indents) {
            let text = line.dropFirst(depth)
            let field = Self.field(text)
            if let (name, value) = field, depth <= max(margin, 2), value.isEmpty, name.contains("."),
                !name.contains(" ")
            {
                android.append(AndroidApp(package: name))
                section = .other
                continue
            }
            guard let last = android.indices.last else { continue }
            guard let (name, value) = field else {
                if section == .disabled { android[last].disabled.append(text.lowercased()) }
                continue
            }
            switch name {
            case "Signatures":
                let inside = value.filter { $0 != "[" && $0 != "]" && $0 != " " }
                android[last].signatures = inside.split(separator: ",").map(String.init)
            case "Domain verification state": section = .states
            case "Enabled": section = .other
            case "Disabled": section = .disabled
            case "Verification link handling allowed":
                android[last].isAllowed = value == "true"
                section = .other
            case _ where section == .states && !value.isEmpty && !name.contains(" "):
                android[last].states.append((name.lowercased(), value))
            default: if !value.isEmpty || name.hasPrefix("User ") { section = .other }
            }
        }
    }

    // MARK: Apple

    private mutating func readApple(_ lines: [Substring]) {
        for line in lines {
            guard let (name, value) = Self.field(line.drop { $0 == " " || $0 == "\t" }) else { continue }
            if name == "Service" || apple.isEmpty { apple.append(AppleEntry()) }
            if apple[apple.count - 1].fields[name] == nil { apple[apple.count - 1].fields[name] = value }
        }
        apple = apple.filter { $0["Service"] != nil && $0["Domain"] != nil }
    }

    /// Splits `NAME: VALUE` at the first colon.
    private static func field(_ text: Substring) -> (name: String, value: String)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(text[..<colon]), String(value.reversed().drop { $0 == " " || $0 == "\r" }.reversed()))
    }
}
