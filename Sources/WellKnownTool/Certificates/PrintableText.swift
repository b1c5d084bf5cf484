extension String {
    /// Without anything a terminal would obey or that would reorder what is read: control characters, direction marks
    /// and line breaks become `\u{…}`. For texts that come out of files.
    var printable: String {
        guard unicodeScalars.contains(where: Self.isUnsafe) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if Self.isUnsafe(scalar) {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
