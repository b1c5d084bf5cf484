import IdPClients
import SSOShared
import SSOWeb
import Storage

/// What became of the last email that an address has asked for, from the audit log.
extension Trace {
    private static let span: Duration = .days(1)

    /// Why a user who may sign in has no code.
    func mailFindings(
        _ address: EmailAddress, _ user: AuditSearch.User?, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> [Finding] {
        var search = AuditSearch()
        (search.user, search.since) = (user, now - Self.span)
        let last = try ["mail_queued", "mail_sent", "mail_not_sent"].compactMap { event in
            search.event = event
            return try AuditStore.newest(search, before: nil, limit: 1, connection).first
        }.max { $0.id.lexicographicallyPrecedes($1.id) }
        guard let last else { return try typedElsewhere(address, at: now, connection) }
        switch (last.event, last.cause) {
        case ("mail_sent", _): return [.mailSent(at: last.at)]
        case ("mail_queued", _): return [.mailWaits(since: last.at)]
        case (_, "refused"): return [.mailRefused(last.detail ?? "", at: last.at)]
        case (_, "expired"): return [.mailExpired(last.detail, at: last.at)]
        case (_, "address_limit"): return [.mailLimited(until: try nextEmail(address, now, connection))]
        case (_, "network_limit"): return [.networkLimited(last.network ?? "", at: last.at)]
        default: return []
        }
    }

    /// A user who has typed a domain that is nearly the right one gets no email, and has no row by the right address.
    private func typedElsewhere(
        _ address: EmailAddress, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> [Finding] {
        var search = AuditSearch()
        (search.event, search.since) = ("mail_not_sent", now - Self.span)
        let parts = address.text.split(separator: "@", maxSplits: 1)
        guard let local = parts.first, parts.count == 2 else { return [] }
        let domain = String(parts[1])
        let found = try AuditStore.newest(search, before: nil, limit: 500, connection).first { row in
            guard row.cause == "address_not_allowed", let typed = row.address, typed.first == local.first,
                let end = typed.split(separator: "@").last.map(String.init)
            else { return false }
            return SpellingSuggestion.of(end, among: [domain]) != nil
        }
        return found.flatMap { row in row.address.map { [.typedAs($0, at: row.at)] } } ?? []
    }
}

extension Trace.Finding {
    /// `2026-11-21 10:12 UTC`.
    private static func time(_ moment: Timestamp) -> String {
        "\(PlainDate.rfc3339(moment).prefix(10)) \(PlainDate.time(moment))"
    }

    /// For the command; nil for a finding that is not about an email.
    func mailWords(_ address: String) -> String? {
        switch self {
        case .mailSent(let at):
            "The mail server took the last email to \(address) at \(Self.time(at)). Look in the spam folder, and in the mail server's log."
        case .mailWaits(let since):
            "An email to \(address) has been waiting since \(Self.time(since)). Look at mail_delivery_failed in the log, and try: idp check --connect"
        case .mailRefused(let answer, let at):
            "The mail server refused the email to \(address) at \(Self.time(at)): \(answer). Look at mail_delivery_failed in the log for its words."
        case .mailExpired(let answer, let at):
            "The email to \(address) expired at \(Self.time(at)), before the mail server took it\(answer.map { " (\($0))" } ?? ""). Try: idp check --connect --mail-to \(address)"
        case .mailLimited(let until):
            "\(address) has had as many emails as it may\(until.map { ": the next one may leave at \(Self.time($0))" } ?? ", and may ask for one again now")."
        case .networkLimited(let network, let at):
            "The network \(network) had asked for too many emails at \(Self.time(at)). Is IDP_TRUSTED_PROXIES set?"
        case .typedAs(let typed, let at):
            "No email to \(address) was asked for in 24 hours. At \(Self.time(at)) one was asked for to \(typed), which may not sign in. Was it misspelt?"
        case .notAllowed, .disabled, .ended, .maySignIn, .misspelt, .serviceDisabled: nil
        }
    }
}
