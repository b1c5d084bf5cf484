import Glibc
import SSOShared

/// The address that a program binds: `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8080`, `[::]:8080` for both families. With port 0 the
/// system chooses one.
public struct ListenAddress: Sendable, CustomStringConvertible {
    /// A name or an address, without the brackets of IPv6.
    public let host: String
    /// 0 to 65535.
    public let port: Int
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address for a program of this machine that connects, such as a proxy: all addresses have the one of loopback.
    package var onThisMachine: String { ["0.0.0.0", "::"].contains(host) ? "127.0.0.1:\(port)" : description }

    /// - Parameter example: of the setting, for its error.
    /// - Throws: ``SettingError`` when it is not a host and a port.
    public init(_ text: String, example: String = "127.0.0.1:8080") throws(SettingError) {
        guard let address = try? HostPort(text, allowing: .portZero), let port = address.port else {
            let port = example.split(separator: ":").last ?? "8080"
            throw SettingError(
                "\"\(text)\" is not a valid address. Use host:port, for example \(example), or [::]:\(port) for all addresses "
                    + "of IPv4 and IPv6." + InternationalDomain.hint(ofHost: String(text.prefix { $0 != ":" })))
        }
        self.init(host: address.host, port: port)
    }

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Why browsers of this machine would not find the program here; nil where they do, and where a proxy must be between.
    ///
    /// - Parameter name: of the setting of this address.
    func problem(beside origin: PublicOrigin, _ name: String) -> String? {
        guard !origin.isHTTPS, LoopbackHost.contains(host), port != 0,
            let authority = try? HostPort(String(origin.text.dropFirst("http://".count))),
            authority.port ?? 80 != port
        else { return nil }
        let wanted = ListenAddress(host: host, port: authority.port ?? 80)
        return
            "\(origin) has another port than \(name), \(self). Use \(name)=\(wanted), unless a proxy of this machine listens there."
    }

    /// The host for the system: all addresses, `::`, are those of IPv4 on a machine without IPv6, where it has no sockets.
    ///
    /// - Parameter hasIPv6: whether the machine has it.
    func bound(hasIPv6: Bool = Self.hasIPv6) -> String { host == "::" && !hasIPv6 ? "0.0.0.0" : host }

    /// Whether this machine has it.
    package static var hasIPv6: Bool {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
        close(descriptor)
        return true
    }
}

/// How long a program accepts connections after SIGTERM, so that proxies can stop using it.
public struct ShutdownGrace: Sendable {
    /// At most a minute. Nil where the program decides.
    private let duration: Duration?

    /// Parses `2s` or `500ms`.
    init(_ text: String) throws(SettingError) {
        let bounds = Duration.zero ... .seconds(60)
        guard let duration = SettingDuration.read(text, in: bounds, allowsMilliseconds: true) else {
            throw SettingError("\"\(text)\" must be a time from 0s to 60s, such as 2s or 500ms.")
        }
        self.duration = duration
    }

    private init() { duration = nil }

    /// Reads the setting. nil when it is invalid.
    static func read(_ reader: SettingsReader) -> Self? {
        let setting = CommonSettings.shutdownGrace
        guard reader.text(setting.name) == nil else { return reader.value(setting) ?? nil }
        reader.record(setting.name, setting.description.fallback)
        return Self()
    }

    /// How long the event loops have to accept and read what has arrived before the listener is closed. A single node takes the
    /// time in which connections that proxies keep are used once more, and so ended: new ones come again after a second anyway.
    var lastRequests: Duration { duration == nil ? .milliseconds(500) : .milliseconds(100) }

    /// Unless set, it is for other nodes: from a single one there is nowhere to go, and every second more is a second of 503.
    func duration(besideOthers: Bool) -> Duration { duration ?? (besideOthers ? .seconds(2) : .zero) }
}

/// The public origin of a program, used in links, cookies and checks. The Host header is never used for these.
public struct PublicOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `https://idp.example.com`: scheme, host and port in lower case, without a slash at the end.
    public let text: String
    /// In lower case, without the brackets of IPv6.
    public let host: String
    /// Whether the scheme is https. With http the host is loopback.
    public let isHTTPS: Bool
    /// Whether `Strict-Transport-Security` also covers the subdomains of the host (`HSTS_INCLUDE_SUBDOMAINS`).
    public var includesSubdomains = false
    public var description: String { text }

    /// Whether the host is this machine.
    public var isLoopback: Bool { LoopbackHost.contains(host) }

    /// - Parameter example: of the setting, for its error.
    /// - Throws: ``SettingError`` unless the text is an https origin, or an http origin with a loopback host.
    public init(_ text: String, example: String = "https://idp.example.com") throws(SettingError) {
        // The text before an @ may be a password, so nothing of it is repeated.
        guard !text.contains("@") else {
            throw SettingError(
                "has a user name in it. Leave out path, query and user name, for example \(example).")
        }
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(text, allowing: .emptyPort) } catch {
            throw SettingError("\"\(text)\" \(error). Use an origin, for example \(example).")
        }
        guard url.isOrigin else {
            throw SettingError(
                "\"\(text)\" has more than scheme, host and port. Leave out path, query and user name, for example "
                    + "\(example).")
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            throw SettingError(
                "\"\(text)\" must be https, for example \(example). http is for loopback hosts only.")
        }
        // Browsers omit the default port from Origin (RFC 6454 6.2), so no form would match with it.
        let hasEmptyPort = url.authority.port == nil && text.hasSuffix(url.rest.isEmpty ? ":" : ":/")
        guard url.authority.port != (url.isHTTPS ? 443 : 80), !hasEmptyPort else {
            throw SettingError(
                "\"\(text)\" names the default port of its scheme. Leave it out, as browsers do: \(url.origin)."
            )
        }
        self.text = url.origin
        host = url.authority.host
        isHTTPS = url.isHTTPS
    }
}
