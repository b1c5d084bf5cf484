import Foundation
import IdPFlow
package import IdPMail
import IdPPasskeys
import IdPProviders
import IdPSignIn
import SSOShared
package import SSOWeb

/// The mail server, with the file of its token: `IDP_MAIL_URL` and `IDP_MAIL_TOKEN_FILE`.
package struct MailSetting: ReadableSetting {
    private let url = SettingDescription(
        "IDP_MAIL_URL", without: "required", example: "smtps://user:password@mail.example.com:465", isSecret: true,
        "The mail server: smtp:// (STARTTLS) or smtps://, with % @ / ? # in the login percent-encoded. Several with commas between them are tried in order. outbox:FOLDER keeps emails in a folder, for a trial on this machine. none: no email at all, so users sign in by passkeys and providers (docs/mail.md). Test it with: idp check --connect --mail-to you@example.com"
    )
    private static let hint =
        "Use smtp://user:password@host:587, smtps://user:password@host:465, outbox:var/outbox for a trial on this machine, or none to work without email."

    package var name: String { url.name }
    package var descriptions: [SettingDescription] { [url, MailTokenFile.setting.description] }

    /// The URL may contain a password, so it is shown without, and may come from a file.
    package func read(_ reader: SettingsReader, _ values: SettingValues) -> MailURL? {
        guard let text = reader.secretText(name, required: true, hint: Self.hint) else { return nil }
        let tokenFile = reader.value(MailTokenFile.setting) ?? nil
        do {
            let mail = try MailURL.parse(text.trimmingCharacters(in: .whitespacesAndNewlines), tokenFile: tokenFile)
            reader.record(name, "\(mail)")
            if let tokenFile { check(tokenFile, of: mail, reader) }
            if case .outbox = mail, let publicURL = try? values[FlowSettings.publicURL], !publicURL.isLoopback {
                reader.problem(
                    "\(name): outbox: shows every email to every visitor. It is for a loopback IDP_PUBLIC_URL "
                        + "only. Use a mail server, for example smtps://mail.example.com:465.")
            }
            return mail
        } catch {
            reader.problem("\(name): \(error)\(MailURL.hint(about: text, after: error))")
            return nil
        }
    }

    /// The token itself may come later than this program starts, so only `check` looks at it.
    private func check(_ tokenFile: MailTokenFile, of mail: MailURL, _ reader: SettingsReader) {
        let setting = MailTokenFile.setting.name
        guard mail.usesToken else {
            return reader.problem(
                "\(setting): is not used, because no login of \(name) is without a password. Remove the password, "
                    + "as in smtps://user@mail.example.com:465, or this setting.")
        }
        reader.warnOfOthers(secretFile: tokenFile.path, setting: setting)
        reader.addCheck { reader in
            do { _ = try tokenFile.read() } catch { reader.problem("\(setting): \(error)") }
        }
    }
}

/// The sender of emails, where emails are sent: `IDP_MAIL_FROM`.
struct MailFromSetting: ReadableSetting {
    var name: String { MailFrom.setting.name }
    var descriptions: [SettingDescription] { MailFrom.setting.descriptions }

    func read(_ reader: SettingsReader, _ values: SettingValues) -> MailFrom?? {
        if reader.text(name) == nil, (try? values[IdPSettings.mail])?.isOn == false { return .some(nil) }
        return MailFrom.setting.read(reader, values).map { .some($0) }
    }
}

extension IdPSettings {
    /// What `IDP_MAIL_URL=none` needs, and what does not work with it.
    static func checkWithoutMail(_ values: SettingValues, _ reader: SettingsReader) {
        guard (try? values[mail])?.isOn == false else { return }
        for setting in [InboundMailSettings.domain.name, InboundMailSettings.secret.name]
        where reader.text(setting) != nil || reader.text(setting + "_FILE") != nil {
            reader.problem(
                "\(setting): users reply to an email, and \(mail.name)=none sends none. Remove it, or name a mail server."
            )
        }
        let hasNoPasskeys = (try? values[PasskeySettings.relyingPartyID] == nil) ?? false
        if hasNoPasskeys, (try? values[providers])?.providers.isEmpty ?? false {
            reader.problem(
                "\(mail.name): is none, passkeys are off and there is no provider, so nobody could sign in. Use a domain in "
                    + "\(FlowSettings.publicURL.name), a providers file, or a mail server such as smtps://mail.example.com:465."
            )
        }
        reader.addCheck { reader in
            for line in withoutMail { reader.warn("\(mail.name): is none. \(line)") }
        }
    }

    /// For the operator, a line each.
    private static let withoutMail = [
        "Nobody signs in by a code, a link or a reply. Users sign in by passkeys and providers.",
        "idp user invite, idp user resend and idp user import --invite are refused. Print a link instead: idp user sign-in-link ADDRESS, after idp user import if IDP_ALLOWED_EMAILS does not name the address",
        "Users are not told by email of changes to their account or of sign-ins in new browsers.",
        "A user who loses every passkey and provider cannot come back by email. Let each user add two.",
    ]
}

extension MailServerCheck {
    /// Nil where no email is sent.
    ///
    /// - Parameter timeouts: short ones, because an operator waits and no email can be lost.
    package init?(
        _ values: SettingValues, timeouts: SMTPMailer.Timeouts = .init(upload: .seconds(10), answer: .seconds(10))
    ) throws(SettingError) {
        let mail = try values[IdPSettings.mail]
        guard let mailer = mail.mailer(greeting: try values[MailGreeting.setting], timeouts: timeouts),
            let from = try values[IdPSettings.mailFrom]
        else { return nil }
        self.init(mail: mail, mailer: mailer, from: from, issuer: try values[FlowSettings.publicURL])
    }

    /// The same with the mailer of the program that serves.
    init?(_ values: SettingValues, _ mailer: (any Mailer)?) throws(SettingError) {
        guard let mailer, let from = try values[IdPSettings.mailFrom] else { return nil }
        self.init(
            mail: try values[IdPSettings.mail], mailer: mailer, from: from,
            issuer: try values[FlowSettings.publicURL])
    }
}
