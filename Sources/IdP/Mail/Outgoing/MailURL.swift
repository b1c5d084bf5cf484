import SSOShared
import SSOWeb

/// Why a text is not the URL of a mail server. Never repeats the text: it may contain a password.
package enum MailURLError: Error, Equatable, CustomStringConvertible {
    case scheme
    case host
    case port
    case login
    case password
    case blank
    case rest
    case folder
    case list

    package var description: String {
        switch self {
        case .scheme:
            "must begin with smtp://, smtps:// or outbox:, for example smtps://user:password@smtp.example.com:465, or be none."
        case .host:
            "has a host that is not a name, an IPv4 address or an IPv6 address in brackets, for example smtp.example.com."
        case .port: "has a port that is not a whole number from 1 to 65535, for example 587."
        case .login:
            "must have its login as user:password@, with % @ / ? # in them written as %25 %40 %2F %3F %23, for example "
                + "smtps://ann%40example.com:secret@smtp.example.com:465."
        case .password:
            "has a login without a password. Write it as user:password@, or name a file with an access token in "
                + "\(MailTokenFile.setting.name)."
        case .blank: "has a space or a line break in its login. Remove it, or write a space as %20."
        case .rest: "must end after the port, for example smtps://smtp.example.com:465."
        case .folder: "must name a folder after outbox:, for example outbox:var/outbox."
        case .list:
            "must be a list of different mail servers, at most \(MailURL.limit), for example "
                + "smtps://smtp.example.com,smtps://smtp.example.net. An outbox and none stand alone."
        }
    }
}

/// Where emails go: `smtp://[user:password@]host[:port]`, `smtps://…`, several of these with commas between them,
/// `outbox:FOLDER`, or `none`. `user@` alone logs in with the token of ``MailTokenFile``.
package enum MailURL: Sendable {
    case smtp(SMTPEndpoint)
    /// In the order in which they are tried, at least two.
    case relays([SMTPEndpoint])
    case outbox(String)
    /// `none`: no email is sent, and nobody signs in by one.
    case off

    /// The most mail servers. Each that does not answer delays an email by its timeout.
    static let limit = 4

    /// - Parameter tokenFile: for logins without a password.
    package static func parse(_ text: String, tokenFile: MailTokenFile? = nil) throws(MailURLError) -> MailURL {
        let parts = parts(of: text)
        guard parts.count > 1 else { return try parseOne(text, tokenFile) }
        var endpoints: [SMTPEndpoint] = []
        for part in parts {
            guard case .smtp(let endpoint) = try parseOne(part, tokenFile) else { throw .list }
            endpoints.append(endpoint)
        }
        guard endpoints.count <= limit, Set(endpoints.map(\.authority)).count == endpoints.count else { throw .list }
        return .relays(endpoints)
    }

    /// Splits at commas before a scheme: a password may have commas.
    private static func parts(of text: String) -> [String] {
        var (parts, rest) = ([String](), text[...])
        while let comma = rest.firstMatch(of: /,\s*(?=(?i:smtps?:\/\/|outbox:))/) {
            parts.append(String(rest[..<comma.range.lowerBound]))
            rest = rest[comma.range.upperBound...]
        }
        return parts + [String(rest)]
    }

    private static func parseOne(_ text: String, _ tokenFile: MailTokenFile?) throws(MailURLError) -> MailURL {
        if text == "none" { return .off }
        let bytes = Array(text.utf8)[...]
        if let folder = bytes.dropping(prefix: "outbox:") {
            guard !folder.isEmpty, !folder.contains(0) else { throw .folder }
            return .outbox(String(decoding: folder, as: UTF8.self))
        }
        for (scheme, isTLSFromStart) in [("smtps://", true), ("smtp://", false)] {
            guard let rest = bytes.dropping(prefix: scheme) else { continue }
            return .smtp(try SMTPEndpoint(rest, isTLSFromStart: isTLSFromStart, tokenFile))
        }
        throw .scheme
    }

    package var isOn: Bool { if case .off = self { false } else { true } }

    /// Whether a login is by the token of ``MailTokenFile``.
    package var usesToken: Bool {
        switch self {
        case .smtp(let endpoint): endpoint.usesToken
        case .relays(let endpoints): endpoints.contains(where: \.usesToken)
        case .outbox, .off: false
        }
    }

    /// The ASCII form of a host that was refused, as a sentence with a blank before it; else nothing. Nothing of a login.
    package static func hint(about text: String, after error: MailURLError) -> String {
        guard case .host = error else { return "" }
        let hosts = parts(of: text).map { server in
            let authority = server.drop { $0 != "/" }.drop { $0 == "/" }
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            return String(host.prefix { $0 != ":" && $0 != "/" })
        }
        return hosts.lazy.map(InternationalDomain.hint(ofHost:)).first { !$0.isEmpty } ?? ""
    }

    /// The mailer that sends there; nil where no email is sent.
    ///
    /// - Parameter greeting: the name in EHLO; nil for this machine's.
    package func mailer(
        greeting: MailGreeting?, timeouts: SMTPMailer.Timeouts = SMTPMailer.Timeouts()
    ) -> (any Mailer)? {
        switch self {
        case .smtp(let endpoint): SMTPMailer(endpoint, greeting: greeting, timeouts: timeouts)
        case .relays(let endpoints): SMTPRelays(endpoints, greeting: greeting, timeouts: timeouts)
        case .outbox(let folder): OutboxMailer(folder: folder)
        case .off: nil
        }
    }
}

extension MailURL: CustomStringConvertible {
    package var description: String {
        switch self {
        case .smtp(let endpoint): "\(endpoint)"
        case .relays(let endpoints): endpoints.map { "\($0)" }.joined(separator: ",")
        case .outbox(let folder): "outbox:\(folder)"
        case .off: "none"
        }
    }
}

extension ArraySlice<UInt8> {
    /// The rest after an ASCII prefix in any case (RFC 3986 3.1); nil without that prefix.
    fileprivate func dropping(prefix: String) -> ArraySlice<UInt8>? {
        guard self.prefix(prefix.utf8.count).map(\.asciiLowercased).elementsEqual(prefix.utf8) else { return nil }
        return dropFirst(prefix.utf8.count)
    }
}

/// A mail server and how to connect to it.
package struct SMTPEndpoint: Sendable {
    let isTLSFromStart: Bool
    /// Without the brackets of an IPv6 address.
    let host: String
    let port: Int
    let login: SMTPLogin?

    /// - Parameter rest: the part after `//`.
    init(_ rest: ArraySlice<UInt8>, isTLSFromStart: Bool, _ tokenFile: MailTokenFile?) throws(MailURLError) {
        var rest = rest
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            login = try SMTPLogin(rest[..<at], tokenFile)
            rest = rest[rest.index(after: at)...]
        } else {
            login = nil
        }
        if rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard !rest.contains(where: { "/?#".utf8.contains($0) }) else { throw .rest }
        let server: HostPort
        do { server = try HostPort(rest) } catch .invalidPort { throw .port } catch { throw .host }
        self.isTLSFromStart = isTLSFromStart
        host = server.host
        // The submission ports of RFC 6409 and RFC 8314.
        port = server.port ?? (isTLSFromStart ? 465 : 587)
    }

    private var server: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    var usesToken: Bool { if case .token = login?.secret { true } else { false } }

    /// Emails to a server on this machine need no encryption.
    var isLoopback: Bool { LoopbackHost.contains(host) }

    /// The host and port as they are written in a URL.
    var authority: String { "\(server):\(port)" }
}

extension SMTPEndpoint: CustomStringConvertible {
    package var description: String {
        let user = login.map { "\($0)@" } ?? ""
        return "\(isTLSFromStart ? "smtps" : "smtp")://\(user)\(authority)"
    }
}

/// A login at a mail server. Prints its user, never its password.
struct SMTPLogin: Sendable, CustomStringConvertible, CustomReflectable {
    enum Secret: Sendable {
        case password(String)
        /// An access token (RFC 7628), by `OAUTHBEARER` or `XOAUTH2`.
        case token(MailTokenFile)
    }

    let user: String
    let secret: Secret

    var description: String { if case .password = secret { "\(user):***" } else { user } }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }

    init(_ bytes: ArraySlice<UInt8>, _ tokenFile: MailTokenFile?) throws(MailURLError) {
        // A pasted space is refused now, not by the mail server at the first email. A space of the password is written as
        // %20, as in every URL (RFC 3986 2).
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        guard !scalars.contains(where: \.properties.isWhitespace) else { throw .blank }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            user = try Self.decoded(bytes)
            guard let tokenFile else { throw .password }
            secret = .token(tokenFile)
            return
        }
        user = try Self.decoded(bytes[..<colon])
        secret = .password(try Self.decoded(bytes[bytes.index(after: colon)...]))
    }

    /// Percent-decoded, strictly: UTF-8 without control characters.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(MailURLError) -> String {
        guard !bytes.contains(where: { "@/?#".utf8.contains($0) }), let plain = PercentCoding.decode(bytes),
            !plain.isEmpty, plain.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            let text = String(validating: plain, as: UTF8.self)
        else { throw .login }
        return text
    }
}
