/// Takes the hidden fields of our own forms; anything else is not asked of it.
enum FormScan {
    /// The form that has a field of this name.
    static func form(with name: String, in html: String) -> (action: String, fields: [(String, String)])? {
        for part in html.components(between: "<form", and: "</form>") where part.contains("name=\"\(name)\"") {
            let fields = part.components(between: "<input", and: ">").compactMap { tag -> (String, String)? in
                guard let name = attribute("name", of: tag) else { return nil }
                return (name, attribute("value", of: tag) ?? "")
            }
            return (attribute("action", of: part) ?? "", fields)
        }
        return nil
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        tag.components(between: "\(name)=\"", and: "\"").first.map { $0.replacing("&amp;", with: "&") }.map(String.init)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Every stretch between two marks.
    func components(between open: String, and close: String) -> [Substring] {
        var (found, rest): ([Substring], Substring) = ([], self[...])
        while let start = rest.firstRange(of: open) {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: close) else { return found }
            found.append(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return found
    }
}
