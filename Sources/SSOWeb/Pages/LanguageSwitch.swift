import Hummingbird

/// The switch of languages below a page, as HTML. Rendered at the start, with a gap for the address of the page.
struct LanguageSwitch: Sendable {
    static let parameter = "set_language"
    /// Stands for the address: no text has the control character.
    private static let gap = "\u{1}"

    /// A language in the list.
    struct Item: Encodable, Sendable {
        let code, name, href: String
        let isCurrent: Bool
    }

    /// The HTML around each place of the address.
    private let pieces: [Substring]

    /// - Parameter render: makes the HTML of the items.
    init(_ catalogue: Catalogue, in current: Language, _ render: ([Item]) -> String) {
        let items = catalogue.languages.all.map { language in
            Item(
                code: language.rawValue, name: catalogue.name(of: language),
                href: "\(Self.gap)\(Self.parameter)=\(language.rawValue)", isCurrent: language == current)
        }
        pieces = render(items).split(separator: Self.gap, omittingEmptySubsequences: false)
    }

    /// Empty for a page that was not fetched by GET: its address may be another page's.
    func html(for request: Request) -> String {
        guard request.method == .get || request.method == .head, let address = Self.address(of: request) else {
            return ""
        }
        return pieces.joined(separator: EscapedHTML().escapeText(address + (address.contains("?") ? "&" : "?")))
    }

    /// Whether the path or the query of a request may name the parameter.
    static func isNamed(in target: String) -> Bool {
        var rest = target.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "s")) {
            rest = rest[start...]
            if rest.starts(with: parameter.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Path and query of a request without the parameter, every other byte as it came; nil for a path that is not written
    /// plainly: a browser would take `//host` for another site.
    static func address(of request: Request) -> String? {
        let target = request.head.path ?? ""
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.utf8.first == UInt8(ascii: "/"), RequestGuard<BasicRequestContext>.isPlain(String(path)) else {
            return nil
        }
        let query = target.dropFirst(path.count + 1).split(separator: "&", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("\(parameter)=") }.joined(separator: "&")
        return query.isEmpty ? String(path) : "\(path)?\(query)"
    }
}
