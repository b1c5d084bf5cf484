import WellKnown

/// What a device says about links: the output of `adb shell pm get-app-links`, or `swcutil_show.txt` of a sysdiagnose.
///
/// Sources: Android, "Verify Android App Links", section "Review the verification results"; Apple, TN3155 "Debugging
/// universal links".
struct DeviceReport: Sendable {
    struct AndroidApp: Sendable, Hashable {
        let package: String
        /// The fingerprints of the installed app, as the device writes them.
        var signatures: [String] = []
        /// The state of each host: a word, or a number from 1024 on.
        var states: [(host: String, state: String)] = []
        /// Whether the user lets the app open links at all.
        var isAllowed: Bool?
        /// The hosts that the user has switched on or off.
        var enabled: [String] = []
        var disabled: [String] = []

        static func == (left: Self, right: Self) -> Bool { left.package == right.package }
        func hash(into hasher: inout Hasher) { hasher.combine(package) }
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

    private enum Section { case none, states, enabled, disabled }

    private mutating func readAndroid(_ lines: [Substring]) {
        var section = Section.none
        // A report that was copied from a page can be indented as a whole.
        let indents = lines.map { $0.prefix { $0 == " " || $0 == "\t" }.count }
        let margin = zip(lines, indents).filter { $0.0.contains("Signatures:") }.map { $0.1 - 2 }.min() ?? 2
        for line in lines {
            let depth = line.prefix { $0 == " " || $0 == "\t" }.count
            let text = line.drop { $0 == " " || $0 == "\t" }
            guard let (name, value) = Self.field(text) else {
                guard !android.isEmpty else { continue }
                let host = text.lowercased()
                if section == .enabled { android[android.count - 1].enabled.append(host) }
                if section == .disabled { android[android.count - 1].disabled.append(host) }
                continue
            }
            if depth <= max(margin, 2), value.isEmpty, name.contains("."), !name.contains(" ") {
                android.append(AndroidApp(package: name))
                section = .none
                continue
            }
            guard !android.isEmpty else { continue }
            switch name {
            case "Signatures":
                let inside = value.filter { $0 != "[" && $0 != "]" && $0 != " " }
                android[android.count - 1].signatures = inside.split(separator: ",").map(String.init)
            case "Domain verification state": section = .states
            case "Enabled": section = .enabled
            case "Disabled": section = .disabled
            case "Verification link handling allowed":
                android[android.count - 1].isAllowed = value == "true"
                section = .none
            case _ where section == .states && !value.isEmpty && !name.contains(" "):
                android[android.count - 1].states.append((name.lowercased(), value))
            default: if !value.isEmpty || name.hasPrefix("User ") { section = .none }
            }
        }
    }

    // MARK: Apple

    private mutating func readApple(_ lines: [Substring]) {
        var entry = AppleEntry()
        for line in lines {
            let text = line.drop { $0 == " " || $0 == "\t" }
            guard let (name, value) = Self.field(text) else { continue }
            if name == "Service", !entry.fields.isEmpty {
                apple.append(entry)
                entry = AppleEntry()
            }
            if entry.fields[name] == nil { entry.fields[name] = value }
        }
        if !entry.fields.isEmpty { apple.append(entry) }
        apple = apple.filter { $0["Service"] != nil && $0["Domain"] != nil }
    }

    /// Splits `NAME: VALUE` at the first colon.
    private static func field(_ text: Substring) -> (name: String, value: String)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(text[..<colon]), String(value.reversed().drop { $0 == " " || $0 == "\r" }.reversed()))
    }
}
