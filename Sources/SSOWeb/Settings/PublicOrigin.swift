import Foundation
import SSOShared

/// The one origin a program is reached at: used in links, cookies and checks. The Host header never is.
public struct PublicOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `https://sso.example.com`: scheme, host and port as given, without a slash at the end.
    public let text: String
    /// In lower case, without the brackets of IPv6.
    public let host: String
    /// Whether the scheme is https. Where it is not, the host is this machine.
    public let isHTTPS: Bool
    /// Whether `Strict-Transport-Security` covers the subdomains of the host as well (`HSTS_INCLUDE_SUBDOMAINS`).
    public var includesSubdomains = false
    public var description: String { text }

    /// Whether the host names this very machine.
    public var isLoopback: Bool { LoopbackHost.contains(host) }

    /// - Throws: ``SettingError`` unless it is an origin alone, https, or http on a loopback host.
    public init(_ address: String) throws {
        // What stands before an @ may be a password.
        let given =
            address.contains("@")
            ? "…" + (address.split(separator: "@", omittingEmptySubsequences: false).last ?? "") : address
        guard given == address else {
            throw SettingError("\"\(given)\" has a user in it. Leave out path, query and user.")
        }
        let text = given.hasSuffix("/") ? String(given.dropLast()) : given
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x5c }) else {
            throw SettingError("\"\(given)\" has a blank or a character that no origin has.")
        }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, let host = parts.host, !host.isEmpty
        else {
            throw SettingError("\"\(given)\" is no address. Give an origin such as https://sso.example.com")
        }
        guard parts.path.isEmpty, parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
        else {
            throw SettingError("\"\(given)\" has more than scheme, host and port. Leave out path, query and user.")
        }
        let bare = host.trimmingCharacters(in: ["[", "]"]).lowercased()
        guard text.lowercased().hasPrefix("\(scheme.lowercased())://\(host.lowercased())"),
            bare.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "-.:".utf8.contains($0) }
            )
        else {
            throw SettingError(
                "\"\(given)\" has a host that is neither a name of letters, digits, - and ., nor an address.")
        }
        guard scheme == "https" || scheme == "http" else {
            throw SettingError("\"\(given)\" must begin with https:// (or http:// on a loopback host).")
        }
        guard scheme == "https" || LoopbackHost.contains(bare) else {
            throw SettingError("\"\(given)\" must be https, unless the host is loopback (localhost, 127.0.0.1, ::1).")
        }
        if let port = parts.port, !(1...65535).contains(port) {
            throw SettingError("\"\(given)\" has a port outside 1 to 65535.")
        }
        // Browsers leave it out of Origin (RFC 6454 6.2): with it no form would ever count as ours.
        guard parts.port != (scheme == "https" ? 443 : 80), !text.hasSuffix(":") else {
            throw SettingError("\"\(given)\" names the port that its scheme has anyway. Leave it out, as browsers do.")
        }
        self.text = text.lowercased()
        self.host = bare
        isHTTPS = scheme == "https"
    }
}
