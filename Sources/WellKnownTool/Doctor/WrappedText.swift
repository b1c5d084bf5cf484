/// Breaks a text at its blanks; a word longer than a line stays whole, for it may be a value to copy.
enum WrappedText {
    /// - Parameter first: what the first line begins with; the others are indented as far.
    static func lines(_ text: String, first: String, width: Int) -> [String] {
        let indent = String(repeating: " ", count: first.count)
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
