import Foundation

/// One tag of a page, its attributes decoded. A small strict scanner: our own pages are well-formed, and a page that
/// is not should fail a test.
struct ScannedTag: Sendable {
    /// Lower-cased; closing tags keep their slash.
    let name: String
    let attributes: [(name: String, value: String)]

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// - Throws: `ProbeFailure` at a tag that never ends, an attribute without quotes, or one given twice.
    static func scan(_ html: String) throws -> [ScannedTag] {
        var (tags, rest): ([ScannedTag], Substring.UnicodeScalarView) = ([], html[...].unicodeScalars)
        while let open = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: open)...]
            if Substring(rest).hasPrefix("!--") {
                rest = try after("-->", rest)
            } else if Substring(rest).hasPrefix("!") {
                rest = try after(">", rest)
            } else {
                tags.append(try tag(&rest))
            }
        }
        return tags
    }

    private static func tag(_ rest: inout Substring.UnicodeScalarView) throws -> ScannedTag {
        let name = take(&rest) { !isSpace($0) && $0 != ">" }.lowercased()
        var attributes: [(name: String, value: String)] = []
        while true {
            _ = take(&rest) { isSpace($0) || $0 == "/" }
            guard let next = rest.first else { throw ProbeFailure("the tag <\(name) never ends") }
            if next == ">" {
                rest = rest.dropFirst()
                // What stands in a text area is what its form sends.
                if name == "textarea" { attributes.append(("value", text(&rest))) }
                return ScannedTag(name: name, attributes: attributes)
            }
            let attribute = take(&rest) { !isSpace($0) && $0 != "=" && $0 != ">" && $0 != "/" }.lowercased()
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                guard let quote = rest.popFirst(), quote == "\"" || quote == "'" else {
                    throw ProbeFailure("<\(name) \(attribute)=> has no quotes")
                }
                value = HTMLText.decode(take(&rest) { $0 != quote })
                rest = rest.dropFirst()
            }
            guard !attributes.contains(where: { $0.name == attribute }) else {
                throw ProbeFailure("<\(name)> has \(attribute) twice")
            }
            attributes.append((attribute, value))
        }
    }

    /// The text up to the next tag, without a first line end, as HTML has it.
    private static func text(_ rest: inout Substring.UnicodeScalarView) -> String {
        let text = HTMLText.decode(take(&rest) { $0 != "<" })
        return text.hasPrefix("\n") ? String(text.dropFirst()) : text
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t"
    }

    private static func take(
        _ rest: inout Substring.UnicodeScalarView, while condition: (Unicode.Scalar) -> Bool
    ) -> String {
        let taken = rest.prefix(while: condition)
        rest = rest[taken.endIndex...]
        return String(taken)
    }

    private static func after(
        _ mark: String, _ rest: Substring.UnicodeScalarView
    ) throws -> Substring.UnicodeScalarView {
        guard let found = Substring(rest).range(of: mark) else { throw ProbeFailure("no \(mark) on the page") }
        return rest[found.upperBound...]
    }
}

/// The character references that our templates write, and no others.
enum HTMLText {
    static func decode(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var (result, rest) = ("", text[...])
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            rest = rest[ampersand...]
            guard let end = rest.firstIndex(of: ";"), let scalar = scalar(rest[rest.index(after: ampersand)..<end])
            else {
                result.append(rest.removeFirst())
                continue
            }
            result.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func scalar(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default:
            if name.hasPrefix("#x") || name.hasPrefix("#X") {
                UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            } else {
                nil
            }
        }
    }
}
