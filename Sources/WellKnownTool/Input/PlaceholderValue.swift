import ArgumentParser

/// The option `--define NAME=VALUE`.
enum PlaceholderValue {
    /// - Throws: `ValidationError` for a text without a name and an equals sign, and for a name that appears twice.
    static func dictionary(_ texts: [String]) throws -> [String: String] {
        var values: [String: String] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw ValidationError(
                    "--define: '\(text.printable)' is not NAME=VALUE, as in DOMAIN=links.example.com.")
            }
            let name = String(text[..<equals])
            guard values.updateValue(String(text[text.index(after: equals)...]), forKey: name) == nil else {
                throw ValidationError("--define: \(name.printable) appears twice.")
            }
        }
        return values
    }
}
