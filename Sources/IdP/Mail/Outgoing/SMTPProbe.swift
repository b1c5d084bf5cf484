import CCurl
import Foundation
import SSOShared
import SSOWeb

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
            return failure(answer.result, answer.reply, subject: .sender, isLate: false)
        } catch { return .unreachable("\(error)") }
    }

    /// Blocks until the server has answered or a timeout has passed.
    fileprivate func probe(from: MailFrom) throws(ConnectionError) -> String {
        let answer = try ask(from: from, limit: settings.timeouts.upload + settings.timeouts.answer)
        if let fault = fault(answer.result, answer.reply, detail: answer.detail, from: from) { throw fault }
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
    ) throws(ConnectionError) -> (result: CURLcode, reply: Reply, detail: String, hasAcceptedLogin: Bool) {
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        // libcurl may read a last reply while the handle is cleaned up.
        let replies = ServerReplies()
        defer { withExtendedLifetime(replies) {} }
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw ConnectionError("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let secret: Secret?
        do { secret = try settings.secret() } catch { throw ConnectionError("\(error)") }
        let (result, code) = withExtendedLifetime(replies) {
            let codes =
                [
                    // Without an email libcurl sends this command after the login. What it begins ends with the connection (RFC 5321
                    // 3.3, 4.1.4). A parsed address cannot contain a command.
                    sso_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "MAIL FROM:<\(from.address.text)>"),
                    sso_curl_set_long(handle, CURLOPT_NOBODY, 1),
                    sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words),
                ] + replies.attach(to: handle)
            guard isSetUp(handle, secret, from: from), codes.allSatisfy({ $0 == CURLE_OK }),
                sso_curl_set_long(handle, CURLOPT_TIMEOUT_MS, limit.wholeMilliseconds) == CURLE_OK
            else { return (CURLE_FAILED_INIT, 0) }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            return (result, code)
        }
        let reply = Reply(code: code, words: replies.words(code: code, hiding: settings.hidden(secret, from: from)))
        return (result, reply, String(cString: words), replies.hasAcceptedLogin)
    }

    private func fault(_ result: CURLcode, _ reply: Reply, detail: String, from: MailFrom) -> ConnectionError? {
        let (code, words) = (reply.code, reply.words)
        return switch result {
        case CURLE_OK: nil
        case CURLE_FAILED_INIT: ConnectionError("this libcurl lacks SMTP or TLS")
        case CURLE_USE_SSL_FAILED: ConnectionError("it offers no STARTTLS, without which nothing is sent to it")
        case CURLE_LOGIN_DENIED where settings.endpoint.usesToken && code < 300:
            ConnectionError("it takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        case CURLE_LOGIN_DENIED:
            ConnectionError(
                "it refuses the \(settings.endpoint.usesToken ? "token of \(MailTokenFile.setting.name)" : "login")"
                    + (code >= 300 ? " with \(code)\(words)" : ""))
        case _ where code >= 400 && detail.hasPrefix(Part.refusedGreeting):
            ConnectionError(
                "it refuses the name \(MailGreeting.name(settings.greeting, from: from)) in EHLO with \(code)\(words). Set "
                    + "\(MailGreeting.setting.name) to one that it takes")
        case _ where code >= 400 && detail.hasPrefix("Command failed"):
            ConnectionError("it refuses the sender with \(code)\(words)")
        case _ where code >= 400: ConnectionError("it answers with \(code)\(words)")
        default: ConnectionError(curl: result.rawValue, detail: detail)
        }
    }
}
