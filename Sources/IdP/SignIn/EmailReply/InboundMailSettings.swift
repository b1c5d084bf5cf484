package import IdPClients
import IdPFlow
import IdPInboundMail
package import SSOShared
package import SSOWeb

/// Where users' replies to the email arrive, and which mail server's results count. Without it nobody can reply.
package struct InboundMailSettings: Sendable {
    /// The domain of reply addresses, in lower case.
    package let domain: String
    /// The name that the mail server writes first in Authentication-Results (RFC 8601 2.5).
    let authservID: String
    /// Signs the messages of `POST /auth/mail/inbound`. Without it that path does not exist.
    package var secret: SharedSecret?

    package static let domain: Setting<String?> = Setting(
        "IDP_INBOUND_MAIL_DOMAIN", example: "reply.example.com",
        "The domain that receives replies to the email. Without it users cannot reply. See docs/mail.md.",
        parseDomain)
    package static let authservID: Setting<String?> = Setting(
        "IDP_INBOUND_AUTHSERV_ID", example: "mx.example.com",
        "Required with IDP_INBOUND_MAIL_DOMAIN: the name that your mail server writes first in Authentication-Results. It must remove that field with this name from mail of others.",
        parseAuthservID)
    package static let secret = SettingDescription(
        "IDP_INBOUND_MAIL_SECRET", example: "the output of: openssl rand -hex 32", isSecret: true,
        "Signs raw messages to POST /auth/mail/inbound, at least 32 bytes, and not another secret. Without it that path does not exist; idp mail deliver does not need it."
    )

    package static let setting = InboundMailSetting()

    /// - Parameter charsets: those that this machine cannot read.
    static func warning(ofMissing charsets: [String]) -> String? {
        guard !charsets.isEmpty else { return nil }
        return
            "\(domain.name): this machine cannot read text in \(charsets.joined(separator: ", ")), so replies in it are "
            + "ignored. Install the conversion modules of glibc, on Debian 13 with: apt install libc-gconv-modules-extra"
    }

    /// Reads the domain and the name of the mail server, which every way of delivery needs.
    package static func readMailbox(_ reader: SettingsReader) -> Self? {
        let domain = reader.value(Self.domain) ?? nil
        let authservID = reader.value(Self.authservID) ?? nil
        switch (reader.text(Self.domain.name), reader.text(Self.authservID.name)) {
        case (.some, nil):
            // Without it any sender could write the verdict into the message.
            reader.problem(
                "\(Self.authservID.name): is required with \(Self.domain.name). Use the name that your mail server writes first "
                    + "in Authentication-Results, for example mx.example.com.")
        case (nil, .some): reader.problem(needsDomain(Self.authservID.name))
        default: break
        }
        guard let domain, let authservID else { return nil }
        return Self(domain: domain, authservID: authservID)
    }

    fileprivate static func needsDomain(_ name: String) -> String {
        "\(Self.domain.name): is required with \(name). Use the domain that receives the answers, for example "
            + "reply.example.com, or remove \(name)."
    }

    private static func parseDomain(_ text: String) throws(SettingError) -> String {
        // The whole address must be one that a mail server accepts.
        guard let name = try? Entered.domain(text),
            (try? EmailAddress(
                ReplyAddress.text(key: [UInt8](repeating: 0, count: ChallengeKey.byteCount), domain: name)))
                != nil
        else {
            throw SettingError(
                "\"\(text)\" must be a domain name, such as reply.example.com.")
        }
        return name
    }

    /// RFC 8601 permits more, in quotation marks. Mail servers use their host name.
    private static func parseAuthservID(_ text: String) throws(SettingError) -> String {
        let isName = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
        guard isName, text.utf8.count <= 253 else {
            throw SettingError(
                "\"\(text)\" must be a name of ASCII letters, digits, - _ and dots, such as mx.example.com.")
        }
        return text
    }
}

/// The three settings of replies.
package struct InboundMailSetting: ReadableSetting {
    /// What was read, also beside a problem.
    package struct Reading: Sendable {
        /// Nil without a domain, where nobody can reply.
        let settings: InboundMailSettings?
        fileprivate let secret: SharedSecret?

        /// Reports a secret that a client has as well.
        package func check(beside clients: ClientRegistry, _ reader: SettingsReader) {
            guard let secret else { return }
            for client in clients.all where client.secrets.contains(where: { $0.isSame(as: secret) }) {
                reader.problem(
                    "\(InboundMailSettings.secret.name): is the same as the secret of the client \(client.id). A holder of that "
                        + "secret could deliver answers in the name of your users. Make one with: openssl rand -hex 32")
            }
        }
    }

    package var name: String { InboundMailSettings.domain.name }
    package var descriptions: [SettingDescription] {
        [
            InboundMailSettings.domain.description, InboundMailSettings.authservID.description,
            InboundMailSettings.secret,
        ]
    }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> Reading? {
        var settings = InboundMailSettings.readMailbox(reader)
        let name = InboundMailSettings.secret.name
        let secret = reader.sharedSecret(name, required: false)
        if let secret {
            if reader.text(InboundMailSettings.domain.name) == nil {
                reader.problem(InboundMailSettings.needsDomain(name))
            }
            // A client could write answers in the name of every user.
            let keys = try? values[FlowSettings.secretKey]
            reader.requireDifferent(keys, FlowSettings.secretKey.name, from: secret, name)
        }
        settings?.secret = secret
        if settings != nil {
            reader.addCheck { reader in
                InboundMailSettings.warning(ofMissing: InboundMailReader.missingCharsets).map(reader.warn)
            }
        }
        return Reading(settings: settings, secret: secret)
    }
}
