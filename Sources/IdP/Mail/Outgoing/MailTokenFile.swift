import SSOShared
package import SSOWeb

/// The file with the access token for mail servers that take no password: `IDP_MAIL_TOKEN_FILE`.
///
/// It is read for each email, because such tokens last for about an hour: another program replaces the file in time.
package struct MailTokenFile: Sendable {
    package static let setting = Setting(
        "IDP_MAIL_TOKEN_FILE", example: "/run/swift-sso/mail-token",
        "A file with an OAuth access token, for each login of IDP_MAIL_URL without a password: smtps://user@host. It is read for each email. Another program keeps the token valid."
    ) { MailTokenFile(path: $0) }

    private static let maximumBytes = 16 * 1024

    package let path: String

    /// The token: one word of the characters that RFC 6750 2.1 allows, so that it is never two lines of the conversation.
    ///
    /// - Throws: the reason, for the operator. It never has a part of the file.
    package func read() throws(SettingError) -> String {
        guard let bytes = BoundedFile.read(path, upTo: Self.maximumBytes) else {
            throw SettingError("the file \(path) cannot be read. It must be a readable file of at most 16 KiB.")
        }
        // "\r\n" is one Character.
        var token = String(decoding: Entered.withoutByteOrderMark(bytes), as: UTF8.self)
        if token.last?.isNewline == true { token.removeLast() }
        guard token.wholeMatch(of: /[A-Za-z0-9._~+\/-]+=*/) != nil else {
            throw SettingError(
                token.isEmpty
                    ? "the file \(path) is empty." : "the file \(path) must have one access token and nothing else.")
        }
        return token
    }
}
