import CCurl
import Foundation
import SSOShared
import SSOWeb

/// One conversation with a mail server. Blocks its thread until the email was accepted or has failed.
struct SMTPTransfer {
    struct Settings: Sendable {
        let endpoint: SMTPEndpoint
        let greeting: MailGreeting?
        let requiresTLS: Bool
        let caFile: String?
        let timeouts: SMTPMailer.Timeouts

        /// The same with another name in EHLO.
        func saying(_ greeting: MailGreeting?) -> Self {
            Self(
                endpoint: endpoint, greeting: greeting, requiresTLS: requiresTLS, caFile: caFile, timeouts: timeouts)
        }
    }

    /// What proves the login, read for this conversation.
    enum Secret {
        case password(String)
        case token(String)
    }

    let settings: Settings
    let cancellation: SMTPMailer.Cancellation

    /// Once per process. Other callers of the same function do not interfere.
    static let isCurlReady = sso_curl_global_init() == CURLE_OK

    func send(_ email: EmailMessage) throws(MailError) {
        guard !cancellation.isCancelled else { throw .temporary("cancelled before it was sent") }
        // libcurl writes to it until the handle is cleaned up, so it is freed after the handle.
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        // libcurl may read a last reply while the handle is cleaned up.
        let (replies, sockets) = (ServerReplies(), SMTPSockets())
        defer { withExtendedLifetime((replies, sockets)) {} }
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw .temporary("libcurl cannot start") }
        defer {
            sockets.stopReading()
            curl_easy_cleanup(handle)
        }
        let secret: Secret?
        do { secret = try settings.secret() } catch { throw .unreachable("\(error): nothing was sent") }
        // The envelope holds parsed addresses only. A dot-atom cannot contain an SMTP command.
        guard let recipients = curl_slist_append(nil, "<\(email.to.text)>") else { throw .temporary("out of memory") }
        defer { curl_slist_free_all(recipients) }
        let body = Body(email.rfc5322(), cancellation, deadline: .now + settings.timeouts.upload)
        // The handle points at the body until it is cleaned up.
        try withExtendedLifetime(body) { () throws(MailError) in
            guard isSetUp(handle, secret, email, recipients, body),
                (replies.attach(to: handle) + sockets.attach(to: handle)).allSatisfy({ $0 == CURLE_OK }),
                sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words) == CURLE_OK
            else { throw .temporary("this libcurl lacks SMTP or TLS") }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            let reply = Reply(
                code: code,
                words: replies.words(code: code, hiding: settings.hidden(secret, from: email.from, email: email)))
            let subject = Part(String(cString: words))
            let failure = failure(
                result, reply, subject: subject, isLate: body.isLate, hasLoggedIn: replies.hasAcceptedLogin,
                namesRecipient: sockets.hasNamedRecipient)
            if let failure { throw failure }
        }
    }

    private func isSetUp(
        _ handle: UnsafeMutableRawPointer, _ secret: Secret?, _ email: EmailMessage,
        _ recipients: UnsafeMutablePointer<curl_slist>,
        _ body: Body
    ) -> Bool {
        let codes = [
            sso_curl_set_string(handle, CURLOPT_MAIL_FROM, "<\(email.from.address.text)>"),
            sso_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
            sso_curl_set_long(handle, CURLOPT_UPLOAD, 1),
            body.attach(to: handle),
        ]
        return isSetUp(handle, secret, from: email.from) && codes.allSatisfy { $0 == CURLE_OK }
    }

    /// Sets the server, the trusted certificates and the login.
    func isSetUp(_ handle: UnsafeMutableRawPointer, _ secret: Secret?, from: MailFrom) -> Bool {
        let endpoint = settings.endpoint
        let scheme = endpoint.isTLSFromStart ? "smtps" : "smtp"
        // The path is the name in EHLO, which libcurl decodes.
        let greeting =
            MailGreeting.name(settings.greeting, from: from)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "localhost"
        let useTLS = settings.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        var codes = [
            sso_curl_set_string(handle, CURLOPT_URL, "\(scheme)://\(endpoint.authority)/\(greeting)"),
            sso_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            sso_curl_set_long(handle, CURLOPT_USE_SSL, Int(useTLS.rawValue)),
            sso_curl_set_common_options(handle, settings.caFile),
            sso_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, settings.timeouts.connect.wholeMilliseconds),
            sso_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, (settings.timeouts.upload + settings.timeouts.answer).wholeMilliseconds),
            sso_curl_set_long(
                handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, settings.timeouts.answer.secondsRoundedUp)),
        ]
        if let caFile = settings.caFile { codes.append(sso_curl_set_string(handle, CURLOPT_CAINFO, caFile)) }
        if let login = endpoint.login { codes.append(sso_curl_set_string(handle, CURLOPT_USERNAME, login.user)) }
        switch secret {
        case .password(let password): codes.append(sso_curl_set_string(handle, CURLOPT_PASSWORD, password))
        case .token(let token):
            codes.append(sso_curl_set_string(handle, CURLOPT_XOAUTH2_BEARER, token))
            // Otherwise libcurl prefers a mechanism with a password, if the server offers one.
            codes.append(sso_curl_set_string(handle, CURLOPT_LOGIN_OPTIONS, "AUTH=OAUTHBEARER;AUTH=XOAUTH2"))
        case nil: break
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    /// The last reply of a server.
    struct Reply {
        /// 0 if there was none.
        let code: Int
        /// `: ` and the cleaned text, or nothing.
        let words: String
    }

    /// What a server may refuse, in the order of a conversation.
    enum Part: String {
        case connection, sender, recipient, email
        case greeting = "name in EHLO"

        /// - Parameter detail: libcurl's own words, such as `RCPT failed: 550`; empty after the data. They are not repeated: others
        ///   hold the server's text.
        init(_ detail: String) {
            self =
                switch detail {
                case "": .email
                case _ where detail.hasPrefix("RCPT"): .recipient
                case _ where detail.hasPrefix("MAIL"): .sender
                case _ where detail.hasPrefix("DATA"): .email
                case _ where detail.hasPrefix(Self.refusedGreeting): .greeting
                default: .connection
                }
        }

        /// libcurl's words for a refused EHLO and HELO.
        static let refusedGreeting = "Remote access denied"
    }

    /// - Parameters:
    ///   - subject: what the server refused.
    ///   - isLate: the email was not uploaded in time.
    ///   - hasLoggedIn: the server has accepted a login.
    ///   - namesRecipient: the server has heard the recipient. What it says before is about no address: it takes no email at all.
    func failure(
        _ result: CURLcode, _ reply: Reply, subject: Part, isLate: Bool, hasLoggedIn: Bool, namesRecipient: Bool
    ) -> MailError? {
        let (code, words) = (reply.code, reply.words)
        func deferred(_ words: String) -> MailError { namesRecipient ? .temporary(words) : .unreachable(words) }
        switch result {
        case CURLE_OK: return nil
        // Not one reply: the server has nothing of the email.
        case CURLE_ABORTED_BY_CALLBACK where isLate && code == 0:
            return .unreachable("the mail server does not answer")
        case CURLE_ABORTED_BY_CALLBACK where isLate: return .temporary("the mail server took too long")
        case CURLE_ABORTED_BY_CALLBACK: return .temporary("cancelled while it was sent")
        case CURLE_USE_SSL_FAILED: return .unreachable("the mail server offers no STARTTLS: nothing was sent")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR:
            return .unreachable(
                "the mail server's TLS or certificate is not acceptable: nothing was sent (curl \(result.rawValue))")
        case CURLE_LOGIN_DENIED where settings.endpoint.usesToken && code < 300:
            return .unreachable("the mail server takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        case CURLE_LOGIN_DENIED where settings.endpoint.usesToken:
            return .unreachable(
                "the mail server refused the token of \(MailTokenFile.setting.name) with \(code)\(words)")
        case CURLE_LOGIN_DENIED: return .unreachable("the mail server refused the login with \(code)\(words)")
        case CURLE_OPERATION_TIMEDOUT where code == 0: return .unreachable("the mail server does not answer")
        case CURLE_OPERATION_TIMEDOUT: return deferred("the mail server took too long")
        case CURLE_COULDNT_RESOLVE_HOST: return .unreachable("the mail server's name is not known")
        case CURLE_COULDNT_CONNECT: return .unreachable("the mail server cannot be reached")
        default: break
        }
        switch code {
        case 500...599 where !namesRecipient:
            return .unreachable(
                "the mail server refused the \(subject.rawValue) with \(code) (curl \(result.rawValue))\(words)")
        // libcurl continues without a login if the server offers none, and many servers refuse only the recipient then.
        case 500...599 where settings.endpoint.login != nil && !hasLoggedIn:
            return .unreachable(
                "the mail server offers no login, or none over this connection, and refused the \(subject.rawValue) with "
                    + "\(code) (curl \(result.rawValue))\(words)")
        case 500...599:
            return .refused(
                "the mail server refused the \(subject.rawValue) with \(code) (curl \(result.rawValue))\(words)",
                code: code)
        case 400...499:
            return deferred(
                "the mail server deferred the \(subject.rawValue) with \(code) (curl \(result.rawValue))\(words)")
        default: return deferred("the connection to the mail server broke (curl \(result.rawValue))")
        }
    }
}

extension SMTPTransfer.Settings {
    /// What the words of the server must not repeat: the login, also as libcurl encodes it, the recipient and the email.
    func hidden(_ secret: SMTPTransfer.Secret?, from: MailFrom, email: EmailMessage? = nil) -> ServerWords {
        // The local part: a piece with an @ is not shown anyway, and words of a domain may be usual ones.
        var texts = email.map { [String($0.to.text.prefix { $0 != "@" })] } ?? []
        if let user = endpoint.login?.user { texts.append(user) }
        switch secret {
        case .password(let text), .token(let text):
            let user = endpoint.login?.user ?? ""
            texts += [
                text, Data(text.utf8).base64EncodedString(), Data("\0\(user)\0\(text)".utf8).base64EncodedString(),
            ]
        case nil: break
        }
        return ServerWords(hiding: texts, text: email?.text ?? "")
    }

    /// - Throws: why there is no token, with the setting at fault.
    func secret() throws(SettingError) -> SMTPTransfer.Secret? {
        switch endpoint.login?.secret {
        case nil: return nil
        case .password(let password): return .password(password)
        case .token(let file):
            do { return .token(try file.read()) } catch {
                throw SettingError("\(MailTokenFile.setting.name): \(error)")
            }
        }
    }
}

/// The email as libcurl reads it: from memory, in pieces, until it ends or is cancelled. libcurl doubles leading dots.
private final class Body {
    private let bytes: [UInt8]
    private let cancellation: SMTPMailer.Cancellation
    private let deadline: ContinuousClock.Instant
    private var position = 0
    /// Whether the deadline has passed before the whole email was read.
    private(set) var isLate = false

    init(_ bytes: [UInt8], _ cancellation: SMTPMailer.Cancellation, deadline: ContinuousClock.Instant) {
        self.bytes = bytes
        self.cancellation = cancellation
        self.deadline = deadline
    }

    private var isToAbort: Bool {
        isLate = isLate || position < bytes.count && ContinuousClock.now > deadline
        return isLate || cancellation.isCancelled
    }

    func attach(to handle: UnsafeMutableRawPointer) -> CURLcode {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let reading = sso_smtp_set_reader(
            handle,
            { buffer, size, count, context in
                guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
                return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().read(
                    into: buffer, atMost: size * count)
            }, context)
        guard reading == CURLE_OK else { return reading }
        return sso_smtp_set_progress(
            handle,
            { context, _, _, _, _ in
                guard let context else { return 1 }
                return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().isToAbort ? 1 : 0
            }, context)
    }

    private func read(into buffer: UnsafeMutablePointer<CChar>, atMost limit: Int) -> Int {
        let piece = bytes[position..<min(position + limit, bytes.count)]
        UnsafeMutableRawBufferPointer(start: buffer, count: limit).copyBytes(from: piece)
        position += piece.count
        return piece.count
    }
}

extension Duration {
    /// At least one: libcurl takes 0 for its own default.
    var wholeMilliseconds: Int { max(1, Int(self / .milliseconds(1))) }
}
