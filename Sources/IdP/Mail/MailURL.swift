/// Why a text is no mail address of a server. Never repeats the text: a password may be in it.
enum MailURLFault: Error, Equatable, CustomStringConvertible {
    case scheme
    case host
    case port
    case login
    case blank
    case rest
    case folder

    var description: String {
        switch self {
        case .scheme: "It must begin with smtp://, smtps:// or outbox:"
        case .host: "The host is not a name, an IPv4 address or an IPv6 address in brackets."
        case .port: "The port is not a number from 1 to 65535."
        case .login: "The login must be user:password@, with % @ / ? # in them written as %25 %40 %2F %3F %23."
        case .blank: "The login holds a blank or a line break. Remove it, or write a blank that belongs to it as %20."
        case .rest: "Nothing may follow the port."
        case .folder: "outbox: needs a folder behind it."
        }
    }
}

/// Where letters go: `smtp://[user:password@]host[:port]`, `smtps://…`, or `outbox:FOLDER`.
enum MailURL: Sendable {
    case smtp(SMTPEndpoint)
    case outbox(String)

    static func parse(_ text: String) throws(MailURLFault) -> MailURL {
        let bytes = Array(text.utf8)[...]
        if let folder = bytes.dropping(prefix: "outbox:") {
            guard !folder.isEmpty, !folder.contains(0) else { throw .folder }
            return .outbox(String(decoding: folder, as: UTF8.self))
        }
        if let rest = bytes.dropping(prefix: "smtps://") { return .smtp(try SMTPEndpoint(rest, isTLSFromStart: true)) }
        if let rest = bytes.dropping(prefix: "smtp://") { return .smtp(try SMTPEndpoint(rest, isTLSFromStart: false)) }
        throw .scheme
    }

    /// The mailer that sends there.
    func mailer() -> any Mailer {
        switch self {
        case .smtp(let endpoint): SMTPMailer(endpoint)
        case .outbox(let folder): OutboxMailer(folder: folder)
        }
    }
}

extension MailURL: CustomStringConvertible {
    var description: String {
        switch self {
        case .smtp(let endpoint): "\(endpoint)"
        case .outbox(let folder): "outbox:\(folder)"
        }
    }
}

extension ArraySlice<UInt8> {
    /// What follows an ASCII prefix, in any case (RFC 3986 3.1), or nil.
    fileprivate func dropping(prefix: String) -> ArraySlice<UInt8>? {
        guard self.prefix(prefix.utf8.count).map(HostName.lowercased).elementsEqual(prefix.utf8) else { return nil }
        return dropFirst(prefix.utf8.count)
    }
}
