/// A star before text that the simple glob of Android cannot go back for.
///
/// A star takes everything up to the first character that equals the one after it, and the rest of the pattern must fit
/// from there. A glob that goes back would find a later place.
///
/// Source: Google, "Configure Dynamic App Links"; AOSP, `PatternMatcher`.
struct StarTrap {
    /// The character at which the star stops.
    let stop: String
    /// A text that the pattern would match with a star that goes back, and does not here.
    let witness: String

    /// - Returns: `nil` for a pattern that means the same either way.
    init?(_ pattern: String) {
        let scalars = Array(pattern.unicodeScalars)
        // Matching with a star that goes back takes the product of the lengths, and a file may hold thousands of patterns.
        guard scalars.count <= 200 else { return nil }
        var tries = 2
        var index = 0
        while index < scalars.count, tries > 0 {
            defer { index += 1 }
            guard scalars[index] == "*", index + 1 < scalars.count else { continue }
            let rest = scalars[(index + 1)...]
            let piece = rest.prefix { $0 != "*" }
            guard let first = piece.first, first != "?" else { continue }
            // One character and then a star again: wherever it stops first is as good as any later place.
            if piece.count == 1, piece.endIndex < scalars.endIndex { continue }
            tries -= 1
            // The stop character, something that does not fit after it, and then what the pattern says.
            let filler: Unicode.Scalar = piece.dropFirst().first == "x" || first == "x" ? "y" : "x"
            var text = String.UnicodeScalarView()
            text.append(contentsOf: Self.plain(scalars[..<index]))
            text.append(first)
            text.append(filler)
            text.append(contentsOf: Self.plain(rest))
            let candidate = Array(text)
            let compiled = DynamicPattern(pattern)
            guard !compiled.matches(candidate), compiled.matches(candidate, goesBack: true) else { continue }
            stop = String(first)
            witness = String(text)
            return
        }
        return nil
    }

    /// A text that the pattern matches: no text for a star, one letter for a question mark.
    private static func plain(_ pattern: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar] {
        pattern.compactMap { $0 == "*" ? nil : $0 == "?" ? "a" : $0 }
    }
}
