import IdPAccounts
import IdPFlow
import IdPMail
import IdPSignOut
import IdPSigningKeys
import SSOWeb
import Storage

/// The metrics of the IdP beside ``CommonMetrics``.
enum IdPMetrics {
    static let emailsWaiting = MetricDescription(
        "idp_emails_waiting", .gauge, "Emails in the queue that may leave now.")
    static let oldestEmail = MetricDescription(
        "idp_oldest_email_seconds", .gauge, "How long the oldest of them has waited.")
    static let signOutsWaiting = MetricDescription(
        "idp_sign_outs_waiting", .gauge, "Sign-out messages to clients that are not delivered yet.")
    static let oldestSignOut = MetricDescription(
        "idp_oldest_sign_out_seconds", .gauge, "How long the oldest of them has waited.")
    static let sessions = MetricDescription("idp_sessions", .gauge, "Sessions of signed-in users.")
    static let accounts = MetricDescription("idp_accounts", .gauge, "Accounts, disabled ones included.")
    static let signingKey = MetricDescription(
        "idp_signing_key_seconds", .gauge,
        "How long until the newest signing key is to be followed by another, by algorithm.")

    /// All of them.
    static let all =
        [emailsWaiting, oldestEmail, signOutsWaiting, oldestSignOut, sessions, accounts, signingKey] + secretsAndBackups

    /// The events that deploy/metrics/alerts.yml names.
    static let alerted: Set = [
        "guess_alarm_raised", "sign_out_given_up", "mail_not_sent", "clients_file_warning", "signing_keys_unavailable",
        "signing_keys_not_renewed", "database_failed_over",
    ]

    /// What is read from the database in each round.
    static func readings(_ parts: SharedParts, _ keys: SigningKeys) -> [MetricsService.Reading] {
        let clock = parts.clock
        return [
            { [mail = parts.mail] in
                guard mail.isOn else { return }
                let waiting = try await mail.waiting()
                $0.set(emailsWaiting, Double(waiting.count))
                $0.set(oldestEmail, age(waiting.oldest, clock))
            },
            { [queue = parts.signOuts.queue, database = parts.database] in
                let waiting = try await database.read { try queue.waiting($0) }
                $0.set(signOutsWaiting, Double(waiting.count))
                $0.set(oldestSignOut, age(waiting.oldest, clock))
            },
            { [store = parts.sessions.store] in $0.set(sessions, Double(try await store.userSessions())) },
            { [accounts = parts.accounts] in $0.set(IdPMetrics.accounts, Double(try await accounts.count())) },
            { registry in
                for (algorithm, due) in try await keys.renewals() {
                    registry.set(signingKey, seconds(due - clock.now()), [("algorithm", algorithm)])
                }
            },
        ]
    }

    static func age(_ since: Timestamp?, _ clock: ServiceClock) -> Double {
        since.map { max(0, seconds(clock.now() - $0)) } ?? 0
    }

    static func seconds(_ duration: Duration) -> Double { Double(duration.milliseconds) / 1000 }
}
