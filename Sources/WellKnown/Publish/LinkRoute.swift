import SSOShared

/// A pattern of paths that means the same on Apple's systems and on Android: plain text, and `*` for any text. A slash at
/// the end does not count, and `/shop/*` holds for `/shop`, too.
///
/// The systems agree on no more than that: Apple compares paths as they are encoded and Android decoded, Apple passes over
/// a slash at the end and Android does not, `?` and `$(…)` are signs of Apple's alone.
/// Sources: Apple, `applinks.Details.Components`; Google, "Configure assetlinks.json"; AOSP, `PatternMatcher`.
public struct LinkRoute: Hashable, Sendable, CustomStringConvertible {
    /// As given.
    public let description: String

    /// - Throws: ``AssociationError/route(item:reason:)`` with the reason.
    public init(_ text: String) throws(AssociationError) {
        if text.hasInvisible { throw .route(item: text, reason: "it has a character that cannot be seen") }
        if let reason = Self.fault(Array(text.utf8)) { throw .route(item: text, reason: reason) }
        description = text
    }

    private static func fault(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "/") else { return "it must begin with a slash; host and scheme are no part" }
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
            // A letter beyond ASCII is written as it is read; addresses have its UTF-8 encoded.
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

    /// The pattern that says it on Apple's systems, where addresses are compared as they are sent.
    var appleForm: String { PatternEscapes.encoded(description, limit: .max) }

    /// The patterns that say it on Android, where a slash at the end counts.
    var androidForms: [String] {
        if description == "/" { return [description] }
        let plain = description.hasSuffix("/") ? String(description.dropLast()) : description
        if plain == "/*" { return [plain] }
        if plain.hasSuffix("/*") { return [String(plain.dropLast(2)), plain] }
        if plain.hasSuffix("*") { return [plain] }
        return [plain, plain + "/"]
    }

    /// As elements of an intent filter. `\` protects a dot, which would stand for any character.
    var manifestPaths: [ManifestPath] {
        androidForms.map { form in
            guard let star = form.firstIndex(of: "*") else { return ManifestPath(.path, form) }
            if form.index(after: star) == form.endIndex { return ManifestPath(.pathPrefix, String(form.dropLast())) }
            return ManifestPath(.pathPattern, form.replacing(".", with: "\\.").replacing("*", with: ".*"))
        }
    }

    /// Paths it holds for: every star as nothing, as a letter, and at the end as more than one part.
    ///
    /// Within a route no star is filled with slashes: Android's stops at the first place where the next sign is.
    var samples: [String] {
        var texts = ["", "a", "z9"].map { description.replacing("*", with: $0) }
        if description.hasSuffix("*") {
            texts.append(String(description.dropLast()).replacing("*", with: "a") + "x/y1")
        }
        texts += androidForms.filter { !$0.contains("*") }
        var seen: Set<String> = []
        // A star at the beginning of a part is not asked about as nothing: no address has two slashes in a row there.
        return texts.filter { $0.hasPrefix("/") && !$0.contains("//") && seen.insert($0).inserted }
    }

    /// Whether it holds for a path, by the definition of a route: what both systems are held to.
    func holds(for path: String) -> Bool {
        androidForms.contains { Self.matches(Array($0.utf8), Array(path.utf8)) }
    }

    /// Goes back to the last star only: enough for patterns of stars and text, and bounded by both lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (p, t) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                star = (p, t)
                p += 1
            } else if p < pattern.count, pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = star {
                p = last.pattern + 1
                t = last.text + 1
                star = (last.pattern, t)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
