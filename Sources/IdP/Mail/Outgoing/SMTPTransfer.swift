import CCurl
import Foundation
import SSOShared
import SSOWeb

/// One conversation with a mail server. Blocks its thread until the email was accepted or has failed.
struct SMTPTransfer {
    struct Settings: Sendable {
        let endpoint: SMTPEndpoint
        let requiresTLS: Bool
        let caFile: String?
        let timeouts: SMTPMailer.Timeouts
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
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw .temporary("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let secret: Secret?
        do { secret = try settings.secret() } catch { throw .unreachable("\(error): nothing was sent") }
        // The envelope holds parsed addresses only. A dot-atom cannot contain an SMTP command.
        guard let recipients = curl_slist_append(nil, "<\(email.to.text)>") else { throw .temporary("out of memory") }
        defer { curl_slist_free_all(recipients) }
        let body = Body(email.rfc5322(), cancellation, deadline: .now + settings.timeouts.upload)
        // The handle points at the body until it is cleaned up.
        try withExtendedLifetime(body) { () throws(MailError) in
            guard isSetUp(handle, secret, email, recipients, body),
                sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words) == CURLE_OK
            else { throw .temporary("this libcurl lacks SMTP or TLS") }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            let subject = Part(String(cString: words))
            if let failure = failure(result, code: code, subject: subject, isLate: body.isLate) { throw failure }
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
        // The path is the name in EHLO: the sender's domain, which the server looks up anyway.
        let greeting = from.address.text.split(separator: "@").last ?? "localhost"
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

    /// What a server may refuse, in the order of a conversation.
    fileprivate enum Part: String {
        case connection, sender, recipient, email

        /// - Parameter detail: libcurl's own words, such as `RCPT failed: 550`; empty after the data. They are not repeated: others
        ///   hold the server's text.
        init(_ detail: String) {
            self =
                detail.hasPrefix("RCPT")
                ? .recipient
                : detail.hasPrefix("MAIL") ? .sender : detail.isEmpty || detail.hasPrefix("DATA") ? .email : .connection
        }
    }

    /// - Parameters:
    ///   - code: the last SMTP reply code, 0 if there was none.
    ///   - subject: what the server refused.
    ///   - isLate: the email was not uploaded in time.
    fileprivate func failure(_ result: CURLcode, code: Int, subject: Part, isLate: Bool) -> MailError? {
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
            return .unreachable("the mail server refused the token of \(MailTokenFile.setting.name) with \(code)")
        case CURLE_LOGIN_DENIED: return .unreachable("the mail server refused the login with \(code)")
        case CURLE_OPERATION_TIMEDOUT where code == 0: return .unreachable("the mail server does not answer")
        case CURLE_OPERATION_TIMEDOUT: return .temporary("the mail server took too long")
        case CURLE_COULDNT_RESOLVE_HOST: return .unreachable("the mail server's name is not known")
        case CURLE_COULDNT_CONNECT: return .unreachable("the mail server cannot be reached")
        default: break
        }
        switch code {
        case 500...599 where subject == .connection || subject == .sender:
            return .unreachable("the mail server refused the \(subject) with \(code) (curl \(result.rawValue))")
        case 500...599:
            return .refused(
                "the mail server refused the \(subject) with \(code) (curl \(result.rawValue))", code: code)
        case 400...499:
            return .temporary("the mail server deferred the \(subject) with \(code) (curl \(result.rawValue))")
        default: return .temporary("the connection to the mail server broke (curl \(result.rawValue))")
        }
    }
}

extension SMTPTransfer.Settings {
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
    fileprivate var wholeMilliseconds: Int { max(1, Int(self / .milliseconds(1))) }
}

extension SMTPMailer {
    /// Checks whether emails can be sent: connects, sets up TLS as ``send(_:)`` does, logs in, and names the
    /// sender. No email is sent.
    ///
    /// - Returns: one line on what was found.
    /// - Throws: the cause, in words for the operator.
    func probe(from: MailFrom) async throws(ConnectionError) -> String {
        let result: Result<String, ConnectionError> = await withCheckedContinuation { continuation in
            // A thread of its own, as for an email: libcurl blocks it.
            let thread = Thread { [settings] in
                let transfer = SMTPTransfer(settings: settings, cancellation: Cancellation())
                do throws(ConnectionError) {
                    continuation.resume(returning: .success(try transfer.probe(from: from)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            thread.start()
        }
        return try result.get()
    }

    package func isReached(from: MailFrom) async -> Bool? {
        let cancellation = Cancellation()
        let failure: MailError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cancellation.wait(for: continuation)
                let thread = Thread { [settings] in
                    cancellation.finish(SMTPTransfer(settings: settings, cancellation: cancellation).reach(from: from))
                }
                thread.name = "smtp"
                thread.start()
            }
        } onCancel: {
            cancellation.finish(.temporary("cancelled while it was asked"))
        }
        if case .unreachable = failure { return false }
        return failure == nil ? true : nil
    }
}

extension SMTPTransfer {
    /// Why an email would not reach the server; nil when it would. Blocks for as long as an email would wait for a reply.
    fileprivate func reach(from: MailFrom) -> MailError? {
        do throws(ConnectionError) {
            let answer = try ask(from: from, limit: settings.timeouts.upload)
            return failure(answer.result, code: answer.code, subject: .sender, isLate: false)
        } catch { return .unreachable("\(error)") }
    }

    /// Blocks until the server has answered or a timeout has passed.
    fileprivate func probe(from: MailFrom) throws(ConnectionError) -> String {
        let answer = try ask(from: from, limit: settings.timeouts.upload + settings.timeouts.answer)
        if let fault = fault(answer.result, code: answer.code, detail: answer.detail) { throw fault }
        // libcurl continues without a login if the server offers none. The server would refuse the email then.
        guard settings.endpoint.login == nil || answer.hasAcceptedLogin else {
            throw ConnectionError("it offers no login, or none over this connection, and the setting has one")
        }
        let tls = settings.requiresTLS || settings.endpoint.isTLSFromStart ? "TLS with a trusted certificate" : "no TLS"
        return "\(settings.endpoint) answers: \(tls), \(settings.endpoint.login == nil ? "no login" : "login accepted")"
    }

    /// Connects, sets up TLS, logs in and names the sender, as for an email. It names no recipient.
    private func ask(
        from: MailFrom, limit: Duration
    ) throws(ConnectionError) -> (result: CURLcode, code: Int, detail: String, hasAcceptedLogin: Bool) {
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        // libcurl may read a last reply while the handle is cleaned up.
        let replies = Replies()
        defer { withExtendedLifetime(replies) {} }
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw ConnectionError("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let secret: Secret?
        do { secret = try settings.secret() } catch { throw ConnectionError("\(error)") }
        let (result, code) = withExtendedLifetime(replies) {
            let codes = [
                // Without an email libcurl sends this command after the login. What it begins ends with the connection (RFC 5321
                // 3.3, 4.1.4). A parsed address cannot contain a command.
                sso_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "MAIL FROM:<\(from.address.text)>"),
                sso_curl_set_long(handle, CURLOPT_NOBODY, 1),
                sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words),
                sso_curl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(replies).toOpaque()),
                sso_curl_set_receive(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    Unmanaged<Replies>.fromOpaque(context).takeUnretainedValue().add(line)
                    return size * count
                },
            ]
            guard isSetUp(handle, secret, from: from), codes.allSatisfy({ $0 == CURLE_OK }),
                sso_curl_set_long(handle, CURLOPT_TIMEOUT_MS, limit.wholeMilliseconds) == CURLE_OK
            else { return (CURLE_FAILED_INIT, 0) }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            return (result, code)
        }
        return (result, code, String(cString: words), replies.hasAcceptedLogin)
    }

    private func fault(_ result: CURLcode, code: Int, detail: String) -> ConnectionError? {
        switch result {
        case CURLE_OK: nil
        case CURLE_FAILED_INIT: ConnectionError("this libcurl lacks SMTP or TLS")
        case CURLE_USE_SSL_FAILED: ConnectionError("it offers no STARTTLS, without which nothing is sent to it")
        case CURLE_LOGIN_DENIED where settings.endpoint.usesToken && code < 300:
            ConnectionError("it takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        case CURLE_LOGIN_DENIED:
            ConnectionError(
                "it refuses the \(settings.endpoint.usesToken ? "token of \(MailTokenFile.setting.name)" : "login")"
                    + (code >= 300 ? " with \(code)" : ""))
        case _ where code >= 400 && detail.hasPrefix("Command failed"):
            ConnectionError("it refuses the sender with \(code)")
        case _ where code >= 400: ConnectionError("it answers with \(code)")
        default: ConnectionError(curl: result.rawValue, detail: detail)
        }
    }
}

/// The server's answer, line by line.
private final class Replies {
    /// 235 follows a login and nothing else (RFC 4954 6).
    private(set) var hasAcceptedLogin = false

    func add(_ line: UnsafeRawBufferPointer) { if line.starts(with: "235".utf8) { hasAcceptedLogin = true } }
}
