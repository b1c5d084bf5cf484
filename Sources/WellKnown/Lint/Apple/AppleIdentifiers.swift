import SSOShared

/// Finds the app identifiers of a file and their errors.
enum AppleIdentifiers {
    struct Place {
        let app: String
        let service: String
        /// The bytes of the text with its quotation marks.
        let range: Range<Int>
        var offset: Int { range.lowerBound }
    }

    struct Defect {
        let rule: LintRule
        let message: String
        /// The identifier that is meant, as far as this error goes.
        var corrected: String?
    }

    /// The places, sorted by service and then by their order in the file.
    static func places(in file: AASAFile) -> [Place] {
        var places: [Place] = []
        for entry in file.applinks.value?.entries ?? [] {
            if let key = entry.key {
                guard !AASALint.entryKeys.contains(key.key) else { continue }
                places.append(Place(app: key.key, service: "applinks", range: key.keyRange))
                continue
            }
            let nodes = (entry.appID.member.map { [$0.value] } ?? []) + (entry.appIDs.value ?? [])
            for node in nodes {
                guard let app = node.string else { continue }
                places.append(Place(app: app, service: "applinks", range: node.range))
            }
        }
        for (name, field) in file.appServices {
            for node in field.value?.apps.value ?? [] {
                guard let app = node.string else { continue }
                places.append(Place(app: app, service: name, range: node.range))
            }
        }
        return places
    }

    /// Returns the first error only, because further errors usually follow from it.
    ///
    /// - Parameter known: valid identifiers of the file by their bundle identifiers.
    static func fault(in app: String, known: [String: String]) -> Defect? {
        // Invisible characters have a finding of their own.
        if app.hasInvisible { return nil }
        let rules = AppleIdentifierRules.self
        var shown: String { app.quoted }
        if app.first?.isWhitespace == true || app.last?.isWhitespace == true {
            return Defect(
                rule: rules.whiteSpace, message: "\(shown) has white space around it",
                corrected: PackageName.trimmed(app))
        }
        if AppleIdentifierPlaceholder.isOne(app) {
            return Defect(rule: rules.placeholder, message: "\(shown) is a placeholder")
        }
        if app.contains("*") { return Defect(rule: rules.wildcard, message: "\(shown) has a wildcard") }
        let parts = app.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let prefix = parts.first.map(String.init) ?? ""
        guard parts.count == 2 else {
            return Defect(rule: rules.noPrefix, message: "\(shown) has no Team ID followed by a dot")
        }
        if let fault = prefixDefect(prefix, app, bundle: String(parts[1]), known) { return fault }
        return bundleDefect(String(parts[1]), app)
            ?? (prefix.utf8.allSatisfy(\.isASCIIDigit)
                ? Defect(rule: rules.prefixNumeric, message: "The Team ID of \(shown) is all digits") : nil)
    }

    /// The identifier without any of these errors, if each has a correction.
    static func corrected(_ app: String, known: [String: String]) -> String? {
        var text = app
        while let next = fault(in: text, known: known) {
            guard let better = next.corrected else { return nil }
            text = better
        }
        return text
    }

    private static func prefixDefect(
        _ prefix: String, _ app: String, bundle: String, _ known: [String: String]
    ) -> Defect? {
        var shown: String { app.quoted }
        let rules = AppleIdentifierRules.self
        let isUpper = prefix.utf8.allSatisfy { $0.isASCIIUpper || $0.isASCIIDigit }
        let isWord = prefix.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        if isUpper, prefix.utf8.count == 10 { return nil }
        // `com` or `my-company` is the beginning of a bundle identifier. A text with digits and about ten characters is
        // a prefix with missing or extra characters.
        let hasDigit = prefix.utf8.contains(where: \.isASCIIDigit)
        let looksLikePrefix = isWord && !prefix.isEmpty && (isUpper || hasDigit && (8...12).contains(prefix.utf8.count))
        if isWord, prefix.utf8.count == 10 {
            return Defect(
                rule: rules.prefixLowercase, message: "The Team ID of \(shown) is not in upper case",
                corrected: prefix.uppercased() + "." + bundle)
        }
        guard looksLikePrefix else {
            return Defect(rule: rules.noPrefix, message: "\(shown) has no Team ID of ten characters")
        }
        let same = known[bundle]
        return Defect(
            rule: rules.prefixLength,
            message: "The Team ID of \(shown) has \(prefix.utf8.count) characters, not 10"
                + (same.map { "; elsewhere the file has \($0.quoted)" } ?? ""), corrected: same)
    }

    private static func bundleDefect(_ bundle: String, _ app: String) -> Defect? {
        var shown: String { app.quoted }
        let rule = AppleIdentifierRules.bundleCharacters
        let bad = bundle.unicodeScalars.first { scalar in
            !(scalar.isASCII && (UInt8(ascii: scalar).isASCIILetter || UInt8(ascii: scalar).isASCIIDigit))
                && scalar != "-" && scalar != "."
        }
        if let bad { return Defect(rule: rule, message: "\(shown) has \(String(bad).quoted) in its bundle identifier") }
        let hasEmpty = bundle.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
        return hasEmpty ? Defect(rule: rule, message: "\(shown) has an empty part in its bundle identifier") : nil
    }
}

/// Recognizes app identifiers from examples and templates.
enum AppleIdentifierPlaceholder {
    /// Prefixes from Apple's documentation and from templates. The list has no invented prefixes that a real team could
    /// have, because the finding is an error and an error stops a server from starting.
    private static let prefixes: Set<String> = [
        "ABCDE12345", "12345ABCDE", "ABCDEFGHIJ", "TEAMID", "APPID", "YOURTEAMID", "APPPREFIX", "PREFIX",
        "DEVELOPMENT_TEAM", "BUNDLEID",
    ]

    /// Words in identifiers that the author was expected to replace.
    private static let marks = ASCIIWords([
        "<", ">", "{", "}", "$(", "[", "YOUR_", "YOUR-", "YOURTEAM", "TEAM_ID", "TEAM-ID", "_TEAM.", "TEAMID.",
        "APP_ID", "BUNDLE_ID", "BUNDLE_IDENTIFIER", "BUNDLE-ID", "YOURCOMPANY", "YOURAPP", "YOURDOMAIN", "YOURBUNDLE",
        "REPLACE_", "REPLACE-", "TODO_", "TODO:", "CHANGEME", "PREFIX_", "_PREFIX", "XXXXX", "%",
    ])
    private static let capitals: Set<Substring> = ["TODO", "TBD", "FIXME", "XXX"]

    static func isOne(_ app: String) -> Bool {
        if PlaceholderWords.isOne(app) { return true }
        let parts = app.split(separator: ".")
        let bundle = String(app.drop { $0 != "." }.dropFirst())
        // A template without its values writes undefined.com.acme.shop or null.
        if let first = parts.first, parts.count > 1 {
            if PlaceholderWords.isOne(String(first)) || PlaceholderWords.isOne(bundle) || bundle.hasPrefix("your.") {
                return true
            }
            if parts.contains(where: capitals.contains) { return true }
        }
        let prefix = app.utf8.prefix { $0 != UInt8(ascii: ".") }
        // For example XXXXXXXXXX or 0000000000.
        if prefix.count >= 8, let first = prefix.first, prefix.allSatisfy({ $0 == first }) { return true }
        if prefix.count <= 16, prefixes.contains(String(decoding: prefix, as: UTF8.self).uppercased()) { return true }
        // The word must be in capitals or be a complete part, because a company name can contain it.
        if app.contains("PLACEHOLDER") || app.lowercased().hasSuffix(".placeholder") { return true }
        return marks.occur(in: Array(app.utf8))
    }
}

/// Words that stand for a value that the author did not write yet. Both files use them.
enum PlaceholderWords {
    private static let words: Set<String> = [
        "todo", "tbd", "tba", "fixme", "xxx", "changeme", "replaceme", "placeholder", "none", "null", "undefined",
        "appid", "bundleid", "teamid", "package", "packagename", "yourappid", "yourpackage", "yourpackagename",
        "example", "test", "...", "…", "?", "-",
    ]

    /// Whether the whole text is such a word. Blanks, hyphens and underscores in it do not count.
    static func isOne(_ text: String) -> Bool {
        guard text.utf8.count <= 40 else { return false }
        let bare = text.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " && $0 != "!" }
        return words.contains(bare) || words.contains(text)
    }
}

/// Finds a few words in short texts. Letter case does not matter.
struct ASCIIWords: Sendable {
    /// The words in lower case, by their first byte.
    private let words: [UInt8: [[UInt8]]]
    private let firsts: ByteSet

    init(_ words: [String]) {
        let bytes = words.map { $0.utf8.map(\.asciiLowercased) }
        self.words = Dictionary(grouping: bytes.filter { !$0.isEmpty }) { $0[0] }
        firsts = ByteSet(bytes.compactMap(\.first))
    }

    func occur(in text: [UInt8]) -> Bool {
        for (index, byte) in text.enumerated() where firsts.contains(byte.asciiLowercased) {
            let rest = text[index...].lazy.map(\.asciiLowercased)
            if words[byte.asciiLowercased]?.contains(where: { rest.starts(with: $0) }) == true { return true }
        }
        return false
    }
}
