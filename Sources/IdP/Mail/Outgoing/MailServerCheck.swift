package import SSOShared
package import SSOWeb

/// Tries the configured mail server, for `idp check`: the connection, and a test email.
package struct MailServerCheck: Sendable {
    let mail: MailURL
    let mailer: any Mailer
    let from: MailFrom
    let issuer: PublicOrigin

    package init(mail: MailURL, mailer: any Mailer, from: MailFrom, issuer: PublicOrigin) {
        (self.mail, self.mailer, self.from, self.issuer) = (mail, mailer, from, issuer)
    }

    /// Connects, sets up TLS and logs in, without sending. Records the result, or a problem with host, port and reason, of
    /// each server.
    ///
    /// - Returns: whether a server takes emails so far.
    package func connect(_ reader: SettingsReader) async -> Bool {
        switch (mail, mailer) {
        case (.smtp, let smtp as SMTPMailer): return await connect(smtp, reader)
        case (.relays, let several as SMTPRelays):
            var isAny = false
            for relay in several.relays where await connect(relay, reader) { isAny = true }
            return isAny
        // Whether the folder is writable was checked already.
        default:
            reader.record("connect IDP_MAIL_URL", "outbox folder \(mailer.destination.dropFirst(7))")
            return true
        }
    }

    private func connect(_ smtp: SMTPMailer, _ reader: SettingsReader) async -> Bool {
        do {
            reader.record("connect IDP_MAIL_URL", try await smtp.probe(from: from))
            return true
        } catch {
            reader.problem("IDP_MAIL_URL: \(smtp.settings.endpoint): \(error)")
            return false
        }
    }

    /// Sends a test email. Records that the server has accepted it, or a problem with host, port and reason.
    package func send(to recipient: EmailAddress, at date: Timestamp, id: String, _ reader: SettingsReader) async {
        do throws(MailError) {
            try await mailer.send(email(to: recipient, at: date, id: id, by: "idp check --mail-to"))
            reader.record("email to \(recipient.text)", "accepted by \(mail)")
        } catch {
            reader.problem("IDP_MAIL_URL: \(mail): no test email was sent to \(recipient.text): \(error).")
        }
    }

    /// Where emails go, without login.
    package var destination: String { mailer.destination }

    /// Sends a test email, for the admin pages.
    ///
    /// - Returns: why the mail server did not take it, in its words; nil if it did.
    package func failure(of recipient: EmailAddress, at date: Timestamp, id: String, within patience: Duration) async
        -> String?
    {
        let email = email(to: recipient, at: date, id: id, by: "the admin pages")
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                do throws(MailError) {
                    try await mailer.send(email)
                    return nil
                } catch { return "\(error)" }
            }
            group.addTask {
                do { try await Task.sleep(for: patience) } catch { return nil }
                return "no answer within \(patience.components.seconds) seconds"
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func email(to recipient: EmailAddress, at date: Timestamp, id: String, by sender: String) -> EmailMessage {
        let text = """
            This is a test email from the identity provider at \(issuer).

            It was sent by \(sender). If you can read it, sign-in emails can reach this mailbox.

            """
        return EmailMessage(
            id: id, date: date, from: from, to: recipient, subject: "Test email from \(issuer.host)", text: text,
            html: "<p>\(text.split(separator: "\n").joined(separator: "</p>\n<p>"))</p>\n",
            language: .english, messageIDDomain: issuer.host)
    }
}
