import SSOShared

extension String {
    /// The text for messages: in quotation marks, in one line, with at most 100 characters.
    package var quoted: String {
        // Nearly every text: a linter names thousands.
        if utf8.count <= 100, utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return "\"\(self)\"" }
        var text = ""
        for scalar in unicodeScalars.prefix(100) {
            let isUnseen =
                scalar.value < 0x20 || (0x7f...0xa0).contains(scalar.value)
                || scalar.properties.isDefaultIgnorableCodePoint
            text += isUnseen ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }
        return "\"" + text + (unicodeScalars.count > 100 ? "…\"" : "\"")
    }

    /// Whether the text contains a character that is not displayed.
    var hasInvisible: Bool { utf8.contains { $0 >= 0x80 } && unicodeScalars.contains(where: JSONReader.isInvisible) }
}

extension String {
    /// The text with its first letter in upper case, for the beginning of a sentence.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
