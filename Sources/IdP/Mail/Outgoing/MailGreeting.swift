import Glibc
import SSOShared
package import SSOWeb

/// The name that mail servers hear in EHLO (RFC 5321 4.1.1.1): `IDP_MAIL_EHLO`, or the name of this machine.
package struct MailGreeting: Sendable, Equatable {
    /// A host name, or an address in square brackets (RFC 5321 4.1.3).
    let name: String

    package static let setting = Setting(
        "IDP_MAIL_EHLO", without: "this machine's name", example: "idp.example.com",
        "The name said to the mail server in EHLO: a host name, or an address such as [192.0.2.1]. Some want a dot in it, or the domain of IDP_MAIL_FROM."
    ) { try MailGreeting($0) }

    /// - Throws: why the text is no such name, for the operator.
    package init(_ text: String) throws(SettingError) {
        guard Self.isHostName(text) || Self.isAddressLiteral(text) else {
            throw SettingError(
                "\"\(text)\" must be a host name of ASCII letters, digits, - and dots, such as idp.example.com, or an address in "
                    + "square brackets, such as [192.0.2.1] or [IPv6:2001:db8::1]."
                    + InternationalDomain.hint(ofHost: text))
        }
        name = text
    }

    /// The name for emails of this sender: the one that is set, else this machine's, else the domain of the sender, which the
    /// server looks up anyway.
    static func name(_ greeting: MailGreeting?, from: MailFrom) -> String {
        greeting?.name ?? machine ?? domain(of: from)
    }

    /// The domain of the sender.
    static func domain(of from: MailFrom) -> String {
        from.address.text.split(separator: "@").last.map(String.init) ?? "localhost"
    }

    /// Warns of a name without a dot: of one that is set, at start too, of this machine's in `check` only, because DNS may be
    /// asked for it.
    package static func check(_ greeting: MailGreeting?, from: MailFrom, _ reader: SettingsReader) {
        guard greeting == nil else { return warning(greeting, from: from).map(reader.warn) ?? () }
        reader.addCheck { reader in warning(nil, from: from).map(reader.warn) }
    }

    /// Why strict servers refuse the name in force, and what to write; nil when nothing is wrong with it. May ask DNS.
    static func warning(_ greeting: MailGreeting?, from: MailFrom) -> String? {
        warning(name(greeting, from: from), isSet: greeting != nil, domain: domain(of: from))
    }

    /// - Parameters:
    ///   - isSet: whether the name is that of the setting.
    ///   - domain: that of the sender.
    static func warning(_ name: String, isSet: Bool, domain: String) -> String? {
        guard !name.contains("."), !name.hasPrefix("[") else { return nil }
        let example = domain.contains(".") ? domain : "idp.example.com"
        return
            "\(setting.name): \(isSet ? "the name" : "is not set, and the name of this machine,") \"\(name)\" has no dot. "
            + "Strict mail servers refuse it in EHLO. Set it to the full name of this machine, or to the domain of the sender: "
            + "\(setting.name)=\(example)."
    }

    /// The full name of this machine, or its name alone; nil for `localhost` and for no valid host name. Found once: asking DNS
    /// may take seconds.
    static let machine: String? = {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return chosen(name, full: name.utf8.contains(UInt8(ascii: ".")) ? nil : fullName(of: name))
    }()

    /// - Parameter full: what the system calls the machine by its full name, if it has one.
    static func chosen(_ name: String, full: String?) -> String? {
        [full, name].lazy.compactMap { $0 }.first { isHostName($0) && !isThisMachineOnly($0) }
    }

    private static func isThisMachineOnly(_ name: String) -> Bool {
        let first = name.lowercased().split(separator: ".").first
        return first == "localhost" || first == "ip6-localhost"
    }

    /// As `hostname --fqdn` finds it: in `/etc/hosts` or in DNS.
    private static func fullName(of name: String) -> String? {
        var hints = addrinfo()
        (hints.ai_flags, hints.ai_socktype) = (AI_CANONNAME, Int32(SOCK_STREAM.rawValue))
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        return found.pointee.ai_canonname.map { String(cString: $0) }
    }

    private static func isHostName(_ text: String) -> Bool {
        guard let host = try? HostPort(text) else { return false }
        return host.kind == .name && host.port == nil && HostPort.isName(text.utf8)
    }

    private static func isAddressLiteral(_ text: String) -> Bool {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return false }
        let inner = String(text.dropFirst().dropLast())
        let (address, kind) =
            inner.lowercased().hasPrefix("ipv6:") ? ("[\(inner.dropFirst(5))]", HostPort.Kind.ipv6) : (inner, .ipv4)
        guard let host = try? HostPort(address) else { return false }
        return host.kind == kind && host.port == nil
    }
}
