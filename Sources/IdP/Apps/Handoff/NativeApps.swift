import SSOShared
package import SSOWeb

/// An app that may receive the sign-in of the system browser.
package struct NativeApp: Sendable {
    /// Where the browser goes with the code. A request must name the same bytes.
    let redirectURI: String
    /// What the log calls the app: the scheme of an app's own URI, the host of any other. Pages that ask show it, so that users
    /// notice a foreign app.
    let id: String
    /// What users see; ``id`` for an app without a name.
    let name: String
    /// Whether the scheme is the app's own, which another app may claim as well (RFC 8252 7.1).
    let hasOwnScheme: Bool

    /// Whether its name is another one than its id.
    var hasName: Bool { name != id }
}

/// The registered apps: `IDP_NATIVE_APPS`, a comma-separated list of exact redirect URIs, each with the app's name after `=`.
package struct NativeApps: Sendable {
    package static let setting = Setting(
        "IDP_NATIVE_APPS", .empty, example: "com.example.app:/callback=Example",
        "Redirect URIs of apps that sign in through the system browser, separated by commas: https, a private scheme with a dot, or loopback http. A request must name one of them byte for byte. After = stands the name that users see.",
        warning: { text, reader in try NativeApps.read(text, warn: reader.warn) })

    package let all: [NativeApp]

    init(_ all: [NativeApp] = []) { self.all = all }

    /// The app of exactly these bytes (RFC 9700 4.1.3, RFC 3986 6.2.1: without normalisation).
    func app(_ redirectURI: some Sequence<UInt8>) -> NativeApp? {
        let bytes = Array(redirectURI)
        return all.first { $0.redirectURI.utf8.elementsEqual(bytes) }
    }

    /// Reads the setting.
    ///
    /// - Parameter warn: receives what is accepted and not good.
    /// - Throws: ``SettingError`` with the problems of all items.
    package static func read(_ text: String, warn: (String) -> Void) throws -> NativeApps {
        let items = text.split(separator: ",").map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
        let entries = items.map(parts)
        let apps = try entries.enumerated().readAll { index, entry in
            let app = try self.app(entry.uri, name: entry.name)
            guard !entries[..<index].contains(where: { $0.uri.utf8.elementsEqual(entry.uri.utf8) }) else {
                throw SettingError("\"\(entry.uri)\" appears twice.")
            }
            return app
        }
        for app in apps where app.hasOwnScheme && !app.id.utf8.contains(UInt8(ascii: ".")) {
            warn(
                "IDP_NATIVE_APPS: the scheme of \(app.redirectURI) has no dot, so another app may use it too. Use an https "
                    + "link that only your app opens, or the reversed name of your domain: com.example.app:/callback.")
        }
        return NativeApps(apps)
    }

    /// What the IdP adds to the redirect URI.
    private static let fields = ["code", "new_user", "error", "error_description", "state"]

    /// `URI=Name`. In a query the first `=` of each field belongs to the URI.
    private static func parts(of item: String) -> (uri: String, name: String?) {
        var (isQuery, keepsNext) = (false, false)
        for index in item.indices {
            switch item[index] {
            case "?",
                "&" where isQuery:
                (isQuery, keepsNext) = (true, true)
            case "=" where keepsNext: keepsNext = false
            case "=": return (String(item[..<index]), String(item[item.index(after: index)...]))
            default: continue
            }
        }
        return (item, nil)
    }

    private static func app(_ uri: String, name: String?) throws -> NativeApp {
        let shown: String?
        do { shown = try name.map(DisplayName.ofSetting) } catch {
            throw SettingError("\"\(uri)\": the name after = \(error)")
        }
        try RedirectURI.check(uri, adding: fields, checkScheme: problem(ofScheme:))
        let scheme = String(uri.prefix { $0 != ":" })
        if scheme == "https" || scheme == "http" {
            let authority = uri.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
            let host = try HostPort(String(authority), allowing: .looseNames).host
            return NativeApp(redirectURI: uri, id: host, name: shown ?? host, hasOwnScheme: false)
        }
        // `scheme:path` is what mailto:, tel: and javascript: look like. An app's own URI has a slash.
        guard uri.dropFirst(scheme.count + 1).utf8.first == UInt8(ascii: "/") else {
            throw SettingError("\"\(uri)\" must have a slash after the colon, such as com.example.app:/callback.")
        }
        return NativeApp(redirectURI: uri, id: scheme, name: shown ?? scheme, hasOwnScheme: true)
    }

    private static func problem(ofScheme scheme: String) -> String? {
        AppScheme.isForeign(scheme)
            ? "has a scheme that is not an app's own. Use https, or an app's own scheme, such as com.example.app:/callback."
            : nil
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var rest = drop { $0 == " " }
        while rest.last == " " { rest = rest.dropLast() }
        return rest
    }
}
