import Foundation

/// What a Hotwire Native app reads to know how it opens which path (native.hotwired.dev, Path Configuration).
///
/// Rules are applied from the first to the last, and a later one overrides the properties of an earlier one. Every rule
/// sets the same properties, so that the last rule that matches decides alone.
public struct PathConfiguration: Sendable {
    /// The two libraries read the same format. Android needs the name of a screen in addition.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android

        /// Where the file is served. A change that older apps cannot read gets a new number.
        public var path: String { "/configurations/\(rawValue)_v1.json" }
    }

    /// How an app opens a page. The value of the property `destination`, which Hotwire passes on to the app.
    public enum Destination: String, CaseIterable, Sendable {
        /// A screen of the web view.
        case webView = "web_view"
        /// A screen of the web view over the others. It takes the place of all of them and cannot be pulled to refresh, so
        /// that nothing that was typed is lost.
        case modal
        /// ASWebAuthenticationSession or a Custom Tab, which comes back to the app.
        case browserSession = "browser_session"
        /// The system browser, where the other service's session is.
        case systemBrowser = "system_browser"
        /// No page: the app drops its screens and starts again.
        case reset
    }

    /// Where the paths of some patterns open.
    public struct Rule: Sendable {
        let patterns: [String]
        let destination: Destination

        /// These paths exactly, with or without a query: one app matches the path alone, the other also the query.
        public static func paths(_ paths: [String], _ destination: Destination) -> Rule {
            Rule(patterns: paths.map { #"^\#(escaped($0))($|\?)"# }, destination: destination)
        }

        /// A path with a query or without, and everything below it.
        public static func tree(_ path: String, _ destination: Destination) -> Rule {
            Rule(patterns: [#"^\#(escaped(path))(/|$|\?)"#], destination: destination)
        }

        fileprivate static let all = Rule(patterns: [".*"], destination: .webView)

        private static func escaped(_ path: String) -> String { path.replacing(".", with: #"\."#) }
    }

    let rules: [Rule]

    /// - Parameter rules: the exceptions, the most general one first. Every other path is a screen of the web view.
    public init(_ rules: [Rule]) { self.rules = [.all] + rules }

    /// The file for a platform: always the same bytes.
    public func json(for platform: Platform) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let file = File(rules: rules.map { .init(patterns: $0.patterns, properties: .init($0.destination, platform)) })
        // Texts and truth values: encoding them cannot fail.
        return (try? encoder.encode(file)).map(Array.init) ?? []
    }

    private struct File: Encodable {
        struct Rule: Encodable {
            let patterns: [String]
            let properties: Properties
        }
        let rules: [Rule]
        /// Required by both libraries, also when it is empty.
        let settings: [String: String] = [:]
    }

    /// The names are Hotwire's, except for `destination`.
    private struct Properties: Encodable {
        let context, presentation, destination: String
        let pullToRefreshEnabled: Bool
        /// The screen of an Android app. It needs one for every path.
        let uri: String?

        enum CodingKeys: String, CodingKey {
            case context, presentation, destination, uri
            case pullToRefreshEnabled = "pull_to_refresh_enabled"
        }

        init(_ destination: Destination, _ platform: Platform) {
            self.destination = destination.rawValue
            context = destination == .modal ? "modal" : "default"
            presentation =
                switch destination {
                case .webView: "default"
                // Hotwire Native for Android refuses a modal that replaces the root.
                case .modal: platform == .android ? "replace" : "replace_root"
                // An app that does not know `destination` opens nothing rather than the wrong thing.
                case .browserSession, .systemBrowser, .reset: "none"
                }
            pullToRefreshEnabled = destination == .webView
            uri = platform == .android ? "hotwire://fragment/web" : nil
        }
    }
}
