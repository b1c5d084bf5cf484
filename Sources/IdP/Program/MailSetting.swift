import Foundation
import IdPFlow
import IdPMail
import SSOShared
import SSOWeb

/// The mail server, with the file of its token: `IDP_MAIL_URL` and `IDP_MAIL_TOKEN_FILE`.
struct MailSetting: ReadableSetting {
    private let url = SettingDescription(
        "IDP_MAIL_URL", without: "required", example: "smtps://user:password@mail.example.com:465", isSecret: true,
        "The mail server: smtp:// (STARTTLS) or smtps://, with % @ / ? # in the login percent-encoded. Several with commas between them are tried in order. outbox:FOLDER keeps emails in a folder, for a trial on this machine. Test it with: idp check --connect --mail-to you@example.com"
    )
    private static let hint =
        "Use smtp://user:password@host:587, smtps://user:password@host:465, or outbox:var/outbox for a trial on this machine."

    var name: String { url.name }
    var descriptions: [SettingDescription] { [url, MailTokenFile.setting.description] }

    /// The URL may contain a password, so it is shown without, and may come from a file.
    func read(_ reader: SettingsReader, _ values: SettingValues) -> MailURL? {
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
