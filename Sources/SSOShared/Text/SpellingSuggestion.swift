/// Suggests the name that a misspelled name probably stands for.
package enum SpellingSuggestion {
    /// Returns the most similar of some names. A name is similar if it is equal apart from case, blanks, `_` and `-`,
    /// or if at most two letters differ. For names with fewer than six letters, one letter may differ.
    package static func of(_ text: String, among names: [String]) -> String? {
        // Longer texts are not misspellings, and the time grows with the product of the lengths.
        guard text.utf8.count <= 80 else { return nil }
        let plain = folded(text)
        if let same = names.first(where: { folded($0) == plain && $0 != text }) { return same }
        let rated = names.map { ($0, folded($0)) }.filter { abs($0.1.count - plain.count) <= 2 }
            .map { (name: $0.0, distance: distance(plain, $0.1)) }
        guard let best = rated.min(by: { $0.distance < $1.distance }), best.name != text else { return nil }
        return best.distance <= (best.name.utf8.count < 6 ? 1 : 2) ? best.name : nil
    }

    /// The same as a question with a blank before it, ` Did you mean staff?`, and before it a sentence on a character of the text
    /// that nobody can see, ` It has a zero-width space at position 6.` Empty where there is neither.
    package static func question(_ text: String, among names: [String]) -> String {
        UnseenCharacter.sentence(about: text, after: "", subject: "It")
            + (near(text, among: names).map { " Did you mean \($0)?" } ?? "")
    }

    /// The name that a text stands for, which may have characters that nobody can see.
    package static func near(_ text: String, among names: [String]) -> String? {
        let seen = UnseenCharacter.removed(from: text)
        return seen != text && names.contains(seen) ? seen : of(seen, among: names)
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
            .map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// The number of letters to insert, remove, replace, or swap with the next letter.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var cost = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
            before = previous
            previous = row
        }
        return previous[right.count]
    }
}
