import Foundation
import Synchronization

/// The browser of the device, in which apps open pages: a Chromium with cookies of its own, in which a test acts as the
/// user. It knows which app's address a page goes on to: a headless Chromium cannot open an app and stays on its page.
final class SystemBrowser: Sendable {
    let page: Chromium
    private let proxy: NavigationProxy
    /// Shared with the proxy.
    private let redirects: Redirects

    private final class Redirects: Sendable {
        let targets = Mutex<[String]>([])
    }

    /// - Parameter origins: of every server that it can reach.
    init(_ origins: [String]) async throws {
        let redirects = Redirects()
        self.redirects = redirects
        proxy = try NavigationProxy { answer in
            if let target = answer.location { redirects.targets.withLock { $0.append(target) } }
        }
        page = try await Chromium(connecting: proxy.ports(of: origins))
    }

    /// Waits until the page leads to an address of this scheme, by a link or a redirect, and closes the page.
    func callback(_ scheme: String) async throws -> URL {
        let text: String
        do {
            text = try await eventually("the browser goes on to \(scheme)", every: .milliseconds(30)) {
                try await nextCallback(scheme)
            }
        } catch {
            throw ProbeFailure("\(error); at \(try await page.address()): \(try await page.text())")
        }
        redirects.targets.withLock { $0 = [] }
        // The invisible question whether to open the app takes all further clicks of the old tab.
        try await page.replaceTab()
        return try text.asURL()
    }

    /// Whether the page that is shown leads to an address of this scheme.
    func leads(to scheme: String) async throws -> Bool { try await nextCallback(scheme) != nil }

    private func nextCallback(_ scheme: String) async throws -> String? {
        if let target = redirects.targets.withLock({ $0.last { $0.hasPrefix(scheme + ":") } }) { return target }
        let link = "a[href^='\(scheme):']"
        return try await page.elements(link).isEmpty ? nil : page.attribute("href", of: link)
    }

    func quit() async throws { try await page.quit() }
}

extension NavigationProxy {
    /// Sends the connections to these origins through this proxy.
    func ports(of origins: [String]) throws -> [String: UInt16] {
        let addresses = try origins.map(WebAddress.init)
        return Dictionary(addresses.map { ("\($0.host):\($0.port)", port) }) { $1 }
    }
}

extension String {
    /// - Throws: `ProbeFailure` when it is not a URL.
    func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw ProbeFailure("not a URL: \(self)") }
        return url
    }
}
