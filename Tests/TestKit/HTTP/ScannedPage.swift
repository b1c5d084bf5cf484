/// A form as a user sees it: its target, and its present values.
struct ScannedForm: Sendable, Equatable {
    var action: String
    var method: String
    /// Every named input with its value, in order.
    var fields: [Field]

    struct Field: Sendable, Equatable {
        let name: String
        let type: String
        var value: String
        /// False for a box that is not ticked, which a browser does not send.
        var isSent = true
    }

    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The pairs a browser would send with `values` typed in.
    func filled(_ values: [String: String]) -> [(String, String)] {
        fields.compactMap { field in
            let value = values[field.name] ?? (field.isSent ? field.value : nil)
            return value.map { (field.name, $0) }
        }
    }
}

/// The links, forms and tags of a page, found by function and never by style, so that markup may
/// change.
struct ScannedPage: Sendable {
    let tags: [ScannedTag]

    init(_ html: String) throws {
        tags = try ScannedTag.scan(html)
    }

    /// Without those to the same page in another language.
    var links: [String] { tags.filter { $0.name == "a" && $0["hreflang"] == nil }.compactMap { $0["href"] } }

    func link(containing part: String) -> String? { links.first { $0.contains(part) } }

    var forms: [ScannedForm] {
        var forms: [ScannedForm] = []
        var open: ScannedForm?
        for tag in tags {
            switch tag.name {
            case "form":
                open = ScannedForm(
                    action: tag["action"] ?? "", method: (tag["method"] ?? "get").lowercased(), fields: [])
            case "/form":
                if let form = open { forms.append(form) }
                open = nil
            case "input", "textarea", "button":
                guard let name = tag["name"] else { continue }
                let isBox = ["checkbox", "radio"].contains(tag["type"])
                open?.fields.append(
                    .init(
                        name: name, type: tag["type"] ?? "text", value: tag["value"] ?? "",
                        isSent: !isBox || tag["checked"] != nil))
            case "select":
                // Sent where the test chooses.
                guard let name = tag["name"] else { continue }
                open?.fields.append(.init(name: name, type: "select", value: "", isSent: false))
            default: continue
            }
        }
        return forms
    }

    func form(with field: String) -> ScannedForm? { forms.first { $0.has(field) } }
    func form(to action: String) -> ScannedForm? { forms.first { $0.action.contains(action) } }

    /// The target of `<meta http-equiv="refresh">`, and after how many seconds.
    var refresh: (seconds: Int, target: String)? {
        let meta = tags.first { $0.name == "meta" && $0["http-equiv"]?.lowercased() == "refresh" }
        return meta?["content"].flatMap(Self.parseRefresh)
    }

    /// `2; url=TARGET`, in a tag or in the header of the same name.
    static func parseRefresh(_ content: String) -> (seconds: Int, target: String)? {
        let parts = content.split(separator: ";", maxSplits: 1)
        guard parts.count == 2, let seconds = Int(parts[0]) else { return nil }
        let target = parts[1].drop { $0 == " " }
        guard target.lowercased().hasPrefix("url=") else { return nil }
        return (seconds, String(target.dropFirst(4)).trimming("'\""))
    }
}

extension String {
    fileprivate func trimming(_ marks: String) -> String {
        var rest = self[...]
        while let first = rest.first, marks.contains(first) { rest = rest.dropFirst() }
        while let last = rest.last, marks.contains(last) { rest = rest.dropLast() }
        return String(rest)
    }
}
