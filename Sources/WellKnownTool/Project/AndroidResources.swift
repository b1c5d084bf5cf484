import WellKnown

/// The values in an XML file of `res/values`, by reference: `@string/name`, `@bool/name`.
///
/// Source: Android, "String resources", "More resource types".
enum AndroidResources {
    /// - Throws: ``ProjectFileError`` if the bytes are not XML.
    static func values(_ bytes: [UInt8]) throws(ProjectFileError) -> [String: String] {
        let root = try ProjectXMLReader.read(bytes)
        var values: [String: String] = [:]
        for child in root.children {
            guard let name = child["name"] else { continue }
            let type = child.name == "item" ? child["type"] ?? "" : child.name
            guard ["string", "bool", "integer"].contains(type) else { continue }
            values["@\(type)/\(name)"] = text(child.text)
        }
        return values
    }

    /// Blanks are joined, quotation marks go, and of an escape the character stays.
    private static func text(_ written: String) -> String {
        var result = ""
        var (isEscaped, isQuoted) = (false, false)
        for character in written {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character.isWhitespace, !isQuoted {
                if !result.hasSuffix(" "), !result.isEmpty { result.append(" ") }
            } else {
                result.append(character)
            }
        }
        return result.hasSuffix(" ") && !isQuoted ? String(result.dropLast()) : result
    }
}
