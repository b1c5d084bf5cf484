import SSOShared

/// How a pattern is compared.
struct PatternReading {
    /// The address as it is sent; else decoded.
    let isEncoded: Bool
    /// An element of `paths`.
    let isLegacy: Bool
    /// Letters in both cases are one.
    var folds = false
}

extension AASALint {
    /// One element of `paths`.
    mutating func legacyPath(_ node: JSONNode) {
        guard let text = node.string else { return }
        let reading = PatternReading(isEncoded: true, isLegacy: true)
        if text.hasPrefix("!/") {
            return sheet.add(
                ApplePathRules.notSyntax, at: node, "\"!\" in \(text.quoted) is text here, no keyword",
                fix: "Write \("NOT \(text.dropFirst())".quoted).")
        }
        let letters = text.drop { $0.isWhitespace }
        let isNot = letters.prefix(3).lowercased() == "not"
        let rest = letters.dropFirst(3)
        let isKeyword = isNot && (rest.first.map { $0.isWhitespace || "/*(".contains($0) } ?? (letters == "NOT"))
        guard isKeyword else { return path(text, node, reading) }
        let path = rest.drop { $0.isWhitespace }
        guard text.hasPrefix("NOT "), text.dropFirst(4).first.map({ !$0.isWhitespace }) ?? false else {
            return sheet.add(
                ApplePathRules.notSyntax, at: node,
                "\(text.quoted) is not written as the system reads NOT: in capitals, with one blank behind",
                fix: "Write \("NOT \(path)".quoted).")
        }
        self.path(String(path), node, reading)
    }

    /// One pattern of a path: what it says that patterns cannot say, then what it means otherwise than it looks.
    mutating func path(_ text: String, _ node: JSONNode, _ reading: PatternReading) {
        guard !text.hasInvisible else { return }
        guard !text.isEmpty else {
            return sheet.add(
                ApplePathRules.emptyPath, at: node, "The path pattern is empty: the root, not every address")
        }
        let pattern = PathText(text)
        var shown: String { text.quoted }
        if !reading.isLegacy, let negation = pattern.negation {
            return sheet.add(
                ApplePathRules.notKeyword, at: node, "\(negation.word) in \(shown) is text here, no keyword",
                fix: "Write \"/\": \(negation.path.quoted), \"exclude\": true.")
        }
        if pattern.isPlaceholder {
            return sheet.add(ApplePathRules.placeholderText, at: node, "\(shown) is an instruction, no path")
        }
        if pattern.isURL { return sheet.add(ApplePathRules.urlInPath, at: node, "\(shown) is an address, no path") }
        if pattern.isHostAndPath {
            return sheet.add(
                ApplePathRules.urlInPath, at: node, "\(shown) looks like a host with its path", severity: .warning)
        }
        if pattern.bytes.contains(UInt8(ascii: "#")) {
            return sheet.add(ApplePathRules.fragmentInPath, at: node, "\"#\" in \(shown) can never be in a path")
        }
        if let syntax = pattern.routeSyntax {
            return sheet.add(
                ApplePathRules.routeSyntax, at: node, "\(syntax.quoted) in \(shown) is no syntax of these patterns")
        }
        if pattern.hasQuery {
            return sheet.add(
                ApplePathRules.queryInPath, at: node, "\"?\" in \(shown) is a wildcard for one character, no query")
        }
        characters(text, node, reading)
        shape(pattern, node)
    }

    /// What is sound and may surprise.
    private mutating func shape(_ pattern: PathText, _ node: JSONNode) {
        var shown: String { pattern.text.quoted }
        doubleStar(pattern.text, node)
        let stars = pattern.starCount
        if stars > Self.fewStars {
            sheet.add(ApplePathRules.complexity, at: node, "\(stars) stars in one pattern")
        } else if pattern.hasInnerStar {
            sheet.add(
                ApplePathRules.starCrossesSlash, at: node,
                "\"*\" in \(shown) crosses slashes: \(pattern.deepWitness.quoted) matches, too (disputed)")
        }
        if let word = pattern.wordBeforeFinalStar {
            sheet.add(
                ApplePathRules.starWithoutSlash, at: node, "\(shown) also matches \((word + "foo").quoted)",
                fix: "Write \((word).quoted) or \((word + "/*").quoted).")
        }
        if pattern.lacksSlash { slashless.append(node) }
    }

    mutating func doubleStar(_ text: String, _ node: JSONNode) {
        guard PathText.hasDoubleStar(text) else { return }
        sheet.add(ApplePathRules.doubleStar, at: node, "\"**\" in \(text.quoted) means what \"*\" means")
    }

    /// More than this in a row of patterns that anybody has published.
    private static let fewStars = 6

    /// What an address is never sent with, in any pattern.
    mutating func characters(_ text: String, _ node: JSONNode, _ reading: PatternReading) {
        guard !text.hasInvisible else { return }
        let isPlain = text.utf8.allSatisfy { $0 > 0x25 && $0 < 0x7f && $0 != 0x3c && $0 != 0x3e }
        // Nearly all patterns: nothing in them is percent-encoded, or would have to be.
        guard !isPlain else { return }
        let escapes = PatternEscapes(text)
        var shown: String { text.quoted }
        guard reading.isEncoded else {
            if let escape = escapes.first, escape.uppercased() != "%2F" {
                sheet.add(
                    ApplePathRules.percentInDecoded, at: node,
                    "\(escape.quoted) in \(shown) never matches: the address is decoded, the pattern is not")
            }
            return
        }
        if let scalar = text.unicodeScalars.first(where: Self.isNeverSent) {
            sheet.add(
                ApplePathRules.nonASCII, at: node,
                "\(String(scalar).quoted) in \(shown) is never sent like this: the rule matches nothing",
                fix: "Write \(PatternEscapes.encoded(text).quoted), or set percentEncoded to false.")
        }
        if let escape = escapes.lower, !reading.folds {
            sheet.add(
                ApplePathRules.percentLower, at: node,
                "\(escape.quoted) in \(shown) compares as text; browsers send "
                    + escape.uppercased().quoted, fix: "Write \(escape.uppercased().quoted).")
        }
        if escapes.hasBroken {
            sheet.add(ApplePathRules.badEscape, at: node, "\"%\" in \(shown) is not followed by two hex digits")
        }
    }

    /// What browsers percent-encode in every part of an address (WHATWG URL, fragment percent-encode set).
    private static func isNeverSent(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0x20 || scalar.value >= 0x7f || scalar == "\"" || scalar == "<" || scalar == ">"
    }
}
