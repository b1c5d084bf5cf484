import HTTPTypes
import Hummingbird
import SSOWeb

/// The browser and the system of a request, so that users can tell the rows of their list apart: "Chrome on Linux". Never the
/// User-Agent itself, which can contain any text.
struct BrowserDevice: Sendable {
    /// The raw value is stored and never changes.
    enum Browser: String, CaseIterable {
        case brave, vivaldi, edge, opera, samsung, firefox, chrome, safari

        /// What names it in `User-Agent` or `Sec-CH-UA`. Most browsers also name the one they descend from, which stands later in
        /// the list.
        fileprivate var marks: [String] {
            switch self {
            case .brave: ["\"brave\""]
            case .vivaldi: ["vivaldi"]
            case .edge: ["edg/", "edga/", "edgios/", "\"microsoft edge\""]
            case .opera: ["opr/", "opt/", "opios/"]
            case .samsung: ["samsungbrowser/"]
            case .firefox: ["firefox/", "fxios/"]
            case .chrome: ["chrome/", "crios/"]
            case .safari: ["safari/"]
            }
        }

        fileprivate var name: String {
            switch self {
            case .brave: "Brave"
            case .vivaldi: "Vivaldi"
            case .edge: "Edge"
            case .opera: "Opera"
            case .samsung: "Samsung Internet"
            case .firefox: "Firefox"
            case .chrome: "Chrome"
            case .safari: "Safari"
            }
        }
    }

    let system: DeviceKind
    /// Nil for one that the table does not know.
    let browser: Browser?

    init(_ request: Request) {
        let agent = request.headers[.userAgent]
        system = DeviceKind(userAgent: agent)
        let hints = HTTPField.Name("Sec-CH-UA").flatMap { request.headers[$0] }
        let text = [hints, agent].compactMap { $0?.prefix(512).lowercased() }.joined(separator: " ")
        browser = Browser.allCases.first { $0.marks.contains { text.contains($0) } }
    }

    /// - Parameter stored: as ``stored``; rows of earlier versions have the system alone.
    init(stored: String?) {
        let parts = (stored ?? "").split(separator: " ").map(String.init)
        system = parts.first.flatMap(DeviceKind.init(rawValue:)) ?? .unknown
        browser = parts.dropFirst().first.flatMap(Browser.init(rawValue:))
    }

    var stored: String { ([system.rawValue] + [browser?.rawValue].compactMap(\.self)).joined(separator: " ") }

    func name(in texts: Texts) -> String {
        guard let browser else { return texts.plain(system.name) }
        guard let system = system.shortName else { return browser.name }
        return texts.plain(Text("device.browser-on", ["browser": browser.name, "system": system]))
    }
}

extension DeviceKind {
    /// Beside the name of a browser, in every language; nil where it is not known.
    fileprivate var shortName: String? {
        switch self {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .android: "Android"
        case .windows: "Windows"
        case .mac: "Mac"
        case .chromebook: "Chromebook"
        case .linux: "Linux"
        case .unknown: nil
        }
    }
}
