/// Decides whether a verified app's intent filters take a link.
///
/// Sources: Android, "Create deep links" and "`<data>` element"; AOSP, `IntentFilter`.
public struct ManifestMatcher: Sendable {
    public let filters: [IntentFilter]
    private let patterns: [[ManifestPattern]]

    /// - Parameter filters: of all activities; those that cannot take a browser's links are passed over.
    public init(_ filters: [IntentFilter]) {
        self.filters = filters.filter(\.takesWebLinks)
        patterns = self.filters.map { $0.paths.map { ManifestPattern($0) } }
    }

    /// The first filter that takes the link, by its place in ``filters``.
    public func filter(for url: LinkURL) -> Int? {
        let scheme = url.isSecure ? "https" : "http"
        let path = DynamicTexts(url).path
        return filters.indices.first { index in
            let filter = filters[index]
            guard filter.schemes.contains(scheme) else { return false }
            guard filter.hosts.isEmpty || filter.hosts.contains(where: { $0.matches(url) }) else { return false }
            return patterns[index].isEmpty || patterns[index].contains { $0.matches(path) }
        }
    }
}

extension IntentFilter {
    /// Opened by a link in a browser: VIEW, BROWSABLE and DEFAULT, and a web scheme.
    public var takesWebLinks: Bool {
        actions.contains("android.intent.action.VIEW") && categories.contains("android.intent.category.BROWSABLE")
            && categories.contains("android.intent.category.DEFAULT")
            && (schemes.contains("http") || schemes.contains("https"))
    }
}

extension ManifestHost {
    /// A leading `*` stands for any text; the rest is compared without regard to case.
    func matches(_ url: LinkURL) -> Bool {
        if let port, Int(port) != (url.port ?? (url.isSecure ? 443 : 80)) { return false }
        return matches(host: url.host)
    }

    func matches(host: String) -> Bool {
        let name = name.lowercased()
        guard name.hasPrefix("*") else { return name == host }
        return host.hasSuffix(name.dropFirst())
    }
}
