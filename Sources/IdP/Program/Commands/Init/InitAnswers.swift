import IdPAccounts
import IdPFlow
import IdPMail
import SSOShared
import SSOWeb

/// The answers to the questions of `idp init`, each checked by the rule of its setting.
struct InitAnswers {
    /// Why the answers are not complete.
    struct Missing: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    var publicURL, mailURL, mailFrom, allowedEmails, trustedProxies: String?
    /// The settings that are there already.
    private let before: SettingsReader

    /// The option that the mail server was given by.
    var mailOption = "--mail-url"
    /// For a login without a password.
    private let tokenFile: MailTokenFile?

    init(before: SettingsReader) {
        self.before = before
        tokenFile = before.value(MailTokenFile.setting) ?? nil
    }

    static func publicURL(_ text: String) -> String? { FlowSettings.publicURL.origin.problem(with: text) }
    static func mailFrom(_ text: String) -> String? { MailFrom.setting.problem(with: text) }
    static func allowedEmails(_ text: String) -> String? {
        isNone(text) ? nil : AllowedEmails.setting.problem(with: text)
    }
    static func trustedProxies(_ text: String) -> String? {
        isNone(text) ? nil : FlowSettings.trustedProxies.problem(with: text)
    }
    /// How an answer says that a list is to be empty.
    static func isNone(_ text: String) -> Bool { text == "none" }
    /// Whether the answer removes the setting. Of the mail server, `none` is a value: no email is sent.
    static func isAbsence(_ answer: String, of setting: String) -> Bool {
        answer.isEmpty || isNone(answer) && setting != "IDP_MAIL_URL"
    }
    static func mailURL(_ text: String, tokenFile: MailTokenFile? = nil) -> String? {
        if let words = SettingsText.problem(with: text) { return words }
        do throws(MailURLError) {
            _ = try MailURL.parse(text, tokenFile: tokenFile)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Asks for what is not there, in the order in which an operator knows it.
    mutating func complete(by questions: Questions) throws(Missing) {
        publicURL = try given(publicURL, "--public-url") { () throws(Questions.NoAnswer) in
            try questions.ask(
                "The address of this service, as browsers see it, such as https://idp.example.com",
                fallback: before.text("IDP_PUBLIC_URL").flatMap { Self.publicURL($0) == nil ? $0 : nil },
                problem: Self.publicURL)
        }
        mailURL = try given(mailURL, "--mail-url-file") { () throws(Questions.NoAnswer) in try askMail(questions) }
        let origin = publicURL.flatMap { try? PublicOrigin($0) }
        if let words = mailURL.flatMap({ mailProblem($0) }) { throw Missing("\(mailOption): \(words)") }
        // Where no email is sent, nobody is its sender.
        if mailURL.map(Self.isNone) != true {
            mailFrom = try given(mailFrom, "--mail-from") { () throws(Questions.NoAnswer) in
                try questions.ask(
                    "The sender of emails, such as Example Ltd <sign-in@example.com>",
                    fallback: before.text("IDP_MAIL_FROM").flatMap { Self.mailFrom($0) == nil ? $0 : nil },
                    problem: Self.mailFrom)
            }
        }
        allowedEmails = try given(allowedEmails, "--allowed-emails") { () throws(Questions.NoAnswer) in
            try questions.ask(
                "Who may sign in without an invitation, such as *@example.com, ann@partner.org, or none",
                fallback: before.text("IDP_ALLOWED_EMAILS") ?? "", problem: Self.allowedEmails)
        }
        trustedProxies = try given(trustedProxies, "--trusted-proxies") { () throws(Questions.NoAnswer) in
            try questions.ask(
                "The proxy in front of this service: 127.0.0.1 on this machine, its network, or none",
                fallback: before.text("IDP_TRUSTED_PROXIES") ?? (origin?.isHTTPS == true ? "127.0.0.1" : ""),
                problem: Self.trustedProxies)
        }
    }

    private func given(
        _ answer: String?, _ option: String, _ ask: () throws(Questions.NoAnswer) -> String
    ) throws(Missing) -> String {
        if let answer { return answer }
        do throws(Questions.NoAnswer) { return try ask() } catch {
            throw Missing("there is no answer. Without a terminal give \(option).")
        }
    }

    /// The password is asked for by itself, so that it is neither seen nor percent-encoded by hand.
    private func askMail(_ questions: Questions) throws(Questions.NoAnswer) -> String {
        // One that cannot be used is neither offered nor shown: the text may be a password.
        let known = before.secretText("IDP_MAIL_URL", required: false, hint: "")
            .flatMap { mailProblem($0) == nil ? $0 : nil }
        let server = try questions.ask(
            "The mail server, such as smtps://user@mail.example.com, outbox:var/outbox for a trial, or none",
            fallback: known,
            shown: known.map { text in (try? MailURL.parse(text, tokenFile: tokenFile)).map { "\($0)" } ?? "set" },
            problem: { mailProblem($0).flatMap { Self.lacksPassword($0) ? nil : $0 } })
        guard server != known, mailProblem(server).map(Self.lacksPassword) ?? false,
            let at = server.lastIndex(of: "@")
        else { return server }
        let password = try questions.ask(
            "Its password", fallback: nil, hidden: true,
            problem: { Self.mailURL(Self.server(server, at, password: $0)) })
        return Self.server(server, at, password: password)
    }

    /// Also an outbox is refused whose page strangers could open.
    private func mailProblem(_ text: String) -> String? {
        if let words = Self.mailURL(text, tokenFile: tokenFile) { return words }
        let isLocal = publicURL.flatMap { try? PublicOrigin($0) }?.isLoopback == true
        guard case .outbox? = try? MailURL.parse(text, tokenFile: tokenFile), !isLocal else { return nil }
        return
            "outbox: shows every email to every visitor. It is for a loopback address, such as http://localhost:8080."
    }

    private static func server(_ server: String, _ at: String.Index, password: String) -> String {
        "\(server[..<at]):\(PercentCoding.encode(password))\(server[at...])"
    }

    /// Whether this is what is said of a login without a password.
    private static func lacksPassword(_ problem: String) -> Bool { problem == "\(MailURLError.password)" }
}
