import SSOShared

/// Whether the mail server has proved that the domain of From sent the message.
struct SenderAuthentication {
    let authservID: String
    let sender: EmailAddress

    /// Accepts `dkim=pass` or `spf=pass` for exactly the domain of From, in the topmost Authentication-Results field.
    ///
    /// Only the topmost field counts: every server adds above what it received, so a field further down may be the
    /// sender's own. The domains must be equal. Relaxed alignment (RFC 7489 3.1) would need a list of public suffixes, and
    /// without one `co.uk` would vouch for `bank.co.uk`.
    func check(_ message: InboundMessage) throws(ReplyMessageError) {
        guard let field = message.values("authentication-results").first else { throw .noAuthentication }
        guard let report = AuthenticationResults(field) else { throw .authenticationMalformed }
        guard report.authservID.map(\.asciiLowercased).elementsEqual(authservID.utf8.map(\.asciiLowercased)) else {
            throw .otherAuthservID
        }
        let passed = report.results.filter { $0.result == "pass" }
        let spf = passed.filter { $0.method == "spf" }.compactMap { $0.properties["smtp.mailfrom"]?.domain }
        if spf.contains(domain) { return }
        let dkim = passed.filter { $0.method == "dkim" }.compactMap(Self.signingDomain)
        guard dkim.contains(domain) else { throw spf.isEmpty && dkim.isEmpty ? .notAuthenticated : .notAligned }
        let signatures = message.values("dkim-signature").map(DKIMSignature.init)
        guard signatures.allSatisfy({ !$0.isOf(domain) || $0.isComplete }) else { throw .signatureIncomplete }
    }

    /// In lower case.
    private var domain: [UInt8] { sender.text.utf8.split(separator: UInt8(ascii: "@")).last.map(Array.init) ?? [] }

    /// The domain of header.d, which is a domain alone.
    ///
    /// header.i does not count: it may name a subdomain of the domain that signed (RFC 6376 3.5). A company that signs for the
    /// subdomains of all its customers could so vouch for each of them.
    private static func signingDomain(_ result: AuthenticationResults.Result) -> [UInt8]? {
        guard let value = result.properties["header.d"] else { return nil }
        return value.text.contains(UInt8(ascii: "@")) ? nil : value.domain
    }
}

/// The tags of a DKIM-Signature field (RFC 6376 3.5). The mail server has checked the signature; this looks at what it
/// covers.
struct DKIMSignature {
    private let tags: [(name: String, value: [UInt8])]

    init(_ field: ArraySlice<UInt8>) {
        tags = field.split(separator: UInt8(ascii: ";")).map { tag in
            let equals = tag.firstIndex(of: UInt8(ascii: "=")) ?? tag.endIndex
            let value = tag[equals...].dropFirst().filter { !$0.isBlank }.map(\.asciiLowercased)
            return (tag[..<equals].trimmed.lowercasedText, value)
        }
    }

    /// Whether any `d=` names this domain, given in lower case.
    func isOf(_ domain: [UInt8]) -> Bool { tags.contains { $0.name == "d" && $0.value == domain } }

    /// Whether From, Subject, Date and the whole body are signed and no tag is given twice.
    ///
    /// With `l=`, text may be added at the end, and an unsigned field may be replaced. To is not demanded: Outlook.com
    /// does not sign it, and sending a signed reply again is useless since its recipient works once. One incomplete
    /// signature of the domain is enough to doubt: the results do not say reliably which signature has passed, and an
    /// attacker may add a field that looks complete beside an old one with `l=`.
    var isComplete: Bool {
        let names = tags.map(\.name)
        guard Set(names).count == names.count, !names.contains("l"),
            let list = tags.first(where: { $0.name == "h" })?.value
        else { return false }
        let signed = list.split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
        return ["from", "subject", "date"].allSatisfy(signed.contains)
    }
}
