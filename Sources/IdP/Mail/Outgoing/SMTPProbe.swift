import CCurl
import Foundation
import SSOShared
import SSOWeb

extension SMTPMailer {
    /// Checks whether emails can be sent: connects, sets up TLS as ``send(_:)`` does, logs in, and names the sender, also as
    /// the recipient. No email is sent.
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
            return failure(
                answer.result, answer.reply, subject: .sender, isLate: false, hasLoggedIn: answer.hasAcceptedLogin,
                namesRecipient: false)
        } catch { return .unreachable("\(error)") }
    }

    /// Blocks until the server has answered or a timeout has passed.
    fileprivate func probe(from: MailFrom) throws(ConnectionError) -> String {
        let answer = try ask(from: from, limit: limitOfCheck, namesRecipient: true)
        if let fault = fault(answer.result, answer.reply, detail: answer.detail, from: from) { throw fault }
        // libcurl continues without a login if the server offers none. The server would refuse the email then.
        guard settings.endpoint.login == nil || answer.hasAcceptedLogin else {
            throw ConnectionError("it offers no login, or none over this connection, and the setting has one")
        }
        let refused = answer.recipient.flatMap { $0.code >= 400 ? $0 : nil }
        if let refused, let fault = faultOfGreeting(refused, from: from) { throw fault }
        let tls = settings.requiresTLS || settings.endpoint.isTLSFromStart ? "TLS with a trusted certificate" : "no TLS"
        // No fault: the sender need not have a mailbox.
        let note = refused.map { ", no emails to \(from.address.text) (\($0.code)\($0.words))" } ?? ""
        return
            "\(settings.endpoint) answers: \(tls), \(settings.endpoint.login == nil ? "no login" : "login accepted")\(note)"
    }

    private var limitOfCheck: Duration { settings.timeouts.upload + settings.timeouts.answer }

    /// What the server replied to the sender, and to the sender as the recipient.
    private typealias Answer = (
        result: CURLcode, reply: Reply, recipient: Reply?, detail: String, hasAcceptedLogin: Bool
    )

    /// Connects, sets up TLS, logs in and names the sender, as for an email.
    ///
    /// - Parameter namesRecipient: whether it names the sender as the recipient, too. Some servers say there only what they
    ///   refuse, such as the name in EHLO. Without DATA there is no email.
    private func ask(from: MailFrom, limit: Duration, namesRecipient: Bool = false) throws(ConnectionError) -> Answer {
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        // libcurl may read a last reply while the handle is cleaned up.
        let (replies, sockets) = (ServerReplies(), SMTPSockets())
        defer { withExtendedLifetime((replies, sockets)) {} }
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw ConnectionError("libcurl cannot start") }
        defer {
            sockets.stopReading()
            curl_easy_cleanup(handle)
        }
        let secret: Secret?
        do { secret = try settings.secret() } catch { throw ConnectionError("\(error)") }
        let (result, code, recipientCode) = withExtendedLifetime(replies) { () -> (CURLcode, Int, Int?) in
            let codes =
                [
                    // Without an email libcurl sends this command after the login. What it begins ends with the connection (RFC 5321
                    // 3.3, 4.1.4). A parsed address cannot contain a command.
                    sso_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "MAIL FROM:<\(from.address.text)>"),
                    sso_curl_set_long(handle, CURLOPT_NOBODY, 1),
                    sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words),
                ] + replies.attach(to: handle) + sockets.attach(to: handle)
            guard isSetUp(handle, secret, from: from), codes.allSatisfy({ $0 == CURLE_OK }),
                sso_curl_set_long(handle, CURLOPT_TIMEOUT_MS, limit.wholeMilliseconds) == CURLE_OK
            else { return (CURLE_FAILED_INIT, 0, nil) }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            guard namesRecipient, result == CURLE_OK, code < 400 else { return (result, code, nil) }
            return (result, code, Self.codeForRecipient(from, handle))
        }
        let hidden = settings.hidden(secret, from: from)
        let reply = Reply(code: code, words: replies.words(code: code, hiding: hidden))
        let recipient = recipientCode.map { Reply(code: $0, words: replies.words(code: $0, hiding: hidden)) }
        return (result, reply, recipient, String(cString: words), replies.hasAcceptedLogin)
    }

    /// Names the sender as the recipient, after MAIL on the same connection.
    ///
    /// - Returns: the code of the reply. Nil without one, and after a new connection, on which the server knows no sender.
    private static func codeForRecipient(_ from: MailFrom, _ handle: UnsafeMutableRawPointer) -> Int? {
        guard sso_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "RCPT TO:<\(from.address.text)>") == CURLE_OK
        else { return nil }
        _ = curl_easy_perform(handle)
        var (code, connections) = (0, 0)
        _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
        _ = sso_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &connections)
        return connections == 0 && code > 0 ? code : nil
    }

    /// The fault, if a refusal of the sender or the recipient is one of the name in EHLO: with 504, which says that of a
    /// parameter (RFC 5321 4.2.2), or if the server takes both when it hears the sender's domain.
    private func faultOfGreeting(_ reply: Reply, from: MailFrom) -> ConnectionError? {
        let accepted = acceptedName(from)
        guard accepted != nil || reply.code == 504 else { return nil }
        // A server that defers the first try of a sender takes the next one by any name.
        if reply.code < 500, isTaken(saying: settings.greeting, from: from) { return nil }
        return faultOfGreeting(reply, from: from, such: accepted.map { ", such as \($0)" } ?? "")
    }

    private func faultOfGreeting(_ reply: Reply, from: MailFrom, such example: String) -> ConnectionError {
        ConnectionError(
            "it refuses the name \(MailGreeting.name(settings.greeting, from: from)) in EHLO with \(reply.code)\(reply.words). Set "
                + "\(MailGreeting.setting.name) to one that it takes\(example)")
    }

    /// The sender's domain, if the server takes it in EHLO, and then the sender and the recipient.
    private func acceptedName(_ from: MailFrom) -> String? {
        let domain = MailGreeting.domain(of: from)
        guard domain != MailGreeting.name(settings.greeting, from: from).lowercased(),
            let greeting = try? MailGreeting(domain)
        else { return nil }
        return isTaken(saying: greeting, from: from) ? domain : nil
    }

    /// Whether the server takes the sender and the recipient from a client of this name.
    private func isTaken(saying greeting: MailGreeting?, from: MailFrom) -> Bool {
        let again = SMTPTransfer(settings: settings.saying(greeting), cancellation: cancellation)
        let answer = try? again.ask(from: from, limit: limitOfCheck, namesRecipient: true)
        return answer?.result == CURLE_OK && (answer?.recipient).map { $0.code < 400 } ?? false
    }

    private func fault(_ result: CURLcode, _ reply: Reply, detail: String, from: MailFrom) -> ConnectionError? {
        let (code, words) = (reply.code, reply.words)
        return switch result {
        case CURLE_OK where code < 400: nil
        case CURLE_FAILED_INIT: ConnectionError("this libcurl lacks SMTP or TLS")
        case CURLE_USE_SSL_FAILED: ConnectionError("it offers no STARTTLS, without which nothing is sent to it")
        case CURLE_LOGIN_DENIED where settings.endpoint.usesToken && code < 300:
            ConnectionError("it takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        case CURLE_LOGIN_DENIED:
            ConnectionError(
                "it refuses the \(settings.endpoint.usesToken ? "token of \(MailTokenFile.setting.name)" : "login")"
                    + (code >= 300 ? " with \(code)\(words)" : ""))
        case _ where code >= 500 && detail.hasPrefix(Part.refusedGreeting):
            faultOfGreeting(reply, from: from, such: "")
        // libcurl takes 553 as no error, because VRFY has it.
        case _ where code >= 400 && (detail.hasPrefix("Command failed") || result == CURLE_OK):
            faultOfGreeting(reply, from: from) ?? ConnectionError("it refuses the sender with \(code)\(words)")
        case _ where code >= 400: ConnectionError("it answers with \(code)\(words)")
        default: ConnectionError(curl: result.rawValue, detail: detail)
        }
    }
}
