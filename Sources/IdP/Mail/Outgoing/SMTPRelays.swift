/// Several mail servers, tried in the order of `IDP_MAIL_URL`.
///
/// An email goes to the next server only when the one before has surely not taken it: it does not answer, has no acceptable
/// TLS or refuses the login. Any other error leaves the email in the queue, because the server may have accepted it, or says
/// something about the email itself.
package struct SMTPRelays: Mailer {
    /// At least two.
    let relays: [SMTPMailer]

    package init(
        _ endpoints: [SMTPEndpoint], greeting: MailGreeting? = nil,
        timeouts: SMTPMailer.Timeouts = SMTPMailer.Timeouts()
    ) {
        relays = endpoints.map { SMTPMailer($0, greeting: greeting, timeouts: timeouts) }
    }

    init(_ relays: [SMTPMailer]) { self.relays = relays }

    package var destination: String { relays.map(\.destination).joined(separator: ",") }

    package func send(_ email: EmailMessage) async throws(MailError) {
        var reasons: [String] = []
        for relay in relays {
            do throws(MailError) {
                return try await relay.send(email)
            } catch {
                guard case .unreachable(let reason) = error, !Task.isCancelled else { throw error }
                reasons.append("\(relay.destination): \(reason)")
            }
        }
        throw .unreachable(reasons.joined(separator: "; "))
    }

    package func isReached(from: MailFrom) async -> Bool? {
        for relay in relays {
            let isReached = await relay.isReached(from: from)
            if isReached != false { return isReached }
        }
        return false
    }
}
