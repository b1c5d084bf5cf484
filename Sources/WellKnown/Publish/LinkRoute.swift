import SSOShared

/// A pattern for paths with the same meaning on Apple's systems and on Android. It consists of plain text and `*`,
/// which matches any text. A trailing slash is ignored, and `/shop/*` also matches `/shop`.
///
/// The systems agree only on these features. Apple compares encoded paths, Android compares decoded paths. Apple
/// ignores a trailing slash, Android does not. `?` and `$(…)` have a meaning only on Apple's systems.
/// Sources: Apple, `applinks.Details.Components`; Google, "Configure assetlinks.json"; AOSP, `PatternMatcher`.
public struct LinkRoute: Hashable, Sendable, CustomStringConvertible {
    /// The route as given.
    public let description: String

    /// - Throws: ``AssociationError/route(item:reason:)`` with the reason.
    public init(_ text: String) throws(AssociationError) {
        if text.hasInvisible { throw .route(item: text, reason: "it has a character that cannot be seen") }
        if let reason = Self.fault(Array(text.utf8)) { throw .route(item: text, reason: reason) }
        description = text
    }

    private static func fault(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "/") else {
            return "it must begin with a slash; host and scheme are not part of it"
        }
        guard bytes.count <= 512 else { return "it is longer than 512 characters" }
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch byte {
            case UInt8(ascii: "?"): return "a route is a path: a query belongs in rules of your own"
            case UInt8(ascii: "#"): return "a route is a path: a fragment belongs in rules of your own"
            case UInt8(ascii: "%"): return "Apple compares encoded text and Android decoded text: leave % out"
            case UInt8(ascii: "$") where next == UInt8(ascii: "("): return "$( begins a variable on Apple's systems"
            case UInt8(ascii: "*") where next == UInt8(ascii: "*"): return "** says no more than *"
            default: break
            }
            let isPlain = byte.isASCIILetter || byte.isASCIIDigit || "-._~!$&'()+,;=:@/*".utf8.contains(byte)
            // Non-ASCII letters are allowed in the route. URLs contain their encoded UTF-8.
            guard isPlain || byte >= 0x80 else {
                return
                    "it may hold only what a path holds unencoded (RFC 3986, pchar), / and *, and letters beyond ASCII"
            }
        }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if parts.dropLast().contains(where: \.isEmpty) { return "it has an empty part between two slashes" }
        if parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            return "browsers resolve . and .. before anybody compares"
        }
        return nil
    }

    /// The pattern for Apple's systems, which compare URLs as they are sent.
    var appleForm: String { PatternEscapes.encoded(description, limit: .max) }

    /// The patterns for Android, where a trailing slash matters.
    var androidForms: [String] {
        if description == "/" { return [description] }
        let plain = description.hasSuffix("/") ? String(description.dropLast()) : description
        if plain == "/*" { return [plain] }
        if plain.hasSuffix("/*") { return [String(plain.dropLast(2)), plain] }
        if plain.hasSuffix("*") { return [plain] }
        return [plain, plain + "/"]
    }

    /// The paths for an intent filter. `\` escapes a dot, which would otherwise match any character.
    var manifestPaths: [ManifestPath] {
        androidForms.map { form in
            guard let star = form.firstIndex(of: "*") else { return ManifestPath(.path, form) }
            if form.index(after: star) == form.endIndex { return ManifestPath(.pathPrefix, String(form.dropLast())) }
            return ManifestPath(.pathPattern, form.replacing(".", with: "\\.").replacing("*", with: ".*"))
        }
    }

    /// Paths that the route matches. A star becomes an empty text and a letter, one at the end also several segments.
    ///
    /// A star inside a route does not become a slash: Android's stops at the first place of the next character.
    var samples: [String] {
        var texts = ["", "a", "z9"].map { description.replacing("*", with: $0) }
        if description.hasSuffix("*") {
            texts.append(String(description.dropLast()).replacing("*", with: "a") + "x/y1")
        }
        texts += androidForms.filter { !$0.contains("*") }
        // A star at the beginning of a segment does not become an empty text, which would make two slashes.
        return texts.filter { $0.hasPrefix("/") && !$0.contains("//") }.uniqued { $0 }
    }

    /// Whether the route matches a path. This definition is the reference for both systems.
    func holds(for path: String) -> Bool {
        androidForms.contains { DynamicPattern($0).matches(Array(path.unicodeScalars), goesBack: true) }
    }
}
