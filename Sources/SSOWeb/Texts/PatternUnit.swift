/// A piece of a text with the punctuation that touches it: `(`, the value, and `).` behind it.
///
/// A value goes to the next line whole (`.unit` in base.css). Without its punctuation, a full stop or an opening bracket could stand
/// alone in a line.
struct PatternUnit: Sendable {
    var before = ""
    let piece: TextPattern.Piece
    var after = ""

    private static let opening: Set<Character> = ["(", "[", "“", "„", "«", "‹", "‘", "‚", "¿", "¡"]
    private static let closing: Set<Character> = [
        ".", ",", ":", ";", "!", "?", ")", "]", "”", "“", "»", "›", "’", "…", "؟", "،", "؛", "。", "、",
    ]
    /// French has one between a word and these marks.
    private static let blanks: Set<Character> = ["\u{a0}", "\u{202f}"]

    static func units(of pieces: [TextPattern.Piece]) -> [PatternUnit] {
        var units = pieces.map { PatternUnit(piece: $0) }
        for index in pieces.indices {
            guard case .literal(let words) = pieces[index] else { continue }
            var rest = words[...]
            if index > 0 {
                let after = rest.prefix { closing.contains($0) || blanks.contains($0) }
                units[index - 1].after = String(after.reversed().drop(while: blanks.contains).reversed())
                rest = rest.dropFirst(units[index - 1].after.count)
            }
            if index + 1 < pieces.count {
                let before = rest.reversed().prefix { opening.contains($0) || blanks.contains($0) }.reversed()
                units[index + 1].before = String(before.drop(while: blanks.contains))
                rest = rest.dropLast(units[index + 1].before.count)
            }
            units[index] = PatternUnit(before: units[index].before, piece: .literal(String(rest)))
        }
        return units
    }

    /// The value, given as HTML, with its punctuation, in a box.
    func wrapped(_ html: String) -> String {
        before.isEmpty && after.isEmpty ? html : "<span class=\"unit\">\(bare(html))</span>"
    }

    /// The same without a box, for what is part of the sentence.
    func bare(_ html: String) -> String {
        EscapedHTML().escapeText(before) + html + EscapedHTML().escapeText(after)
    }
}
