import CCurl
import Foundation
import SSOShared

extension SMTPMailer {
    /// Says whether an email could leave: connects, sets up TLS as ``send(_:)`` does, logs in, asks for nothing (`NOOP`)
    /// and says goodbye. No email is sent.
    ///
    /// - Returns: one line on what was found.
    /// - Throws: in words for the operator what is in the way.
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
}

extension SMTPTransfer {
    /// Blocks until the server has answered or the patience has run out.
    fileprivate func probe(from: MailFrom) throws(ConnectionError) -> String {
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw ConnectionError("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let replies = Replies()
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        let (result, code) = withExtendedLifetime(replies) {
            let codes = [
                // Without an email libcurl sends this command after the login (RFC 5321 4.1.1.9).
                sso_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "NOOP"),
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
            guard isSetUp(handle, from: from), codes.allSatisfy({ $0 == CURLE_OK }) else {
                return (CURLE_FAILED_INIT, 0)
            }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            return (result, code)
        }
        if let fault = fault(result, code: code, detail: String(cString: words)) { throw fault }
        // libcurl goes on without a login where the server offers none; the server would refuse the email then.
        guard settings.endpoint.login == nil || replies.hasAcceptedLogin else {
            throw ConnectionError("it offers no login, or none over this connection, and the setting has one")
        }
        let tls = settings.requiresTLS || settings.endpoint.isTLSFromStart ? "TLS with a trusted certificate" : "no TLS"
        return "\(settings.endpoint) answers: \(tls), \(settings.endpoint.login == nil ? "no login" : "login accepted")"
    }

    private func fault(_ result: CURLcode, code: Int, detail: String) -> ConnectionError? {
        switch result {
        case CURLE_OK: nil
        case CURLE_FAILED_INIT: ConnectionError("this libcurl lacks SMTP or TLS")
        case CURLE_USE_SSL_FAILED: ConnectionError("it offers no STARTTLS, without which nothing is sent to it")
        case CURLE_LOGIN_DENIED: ConnectionError("it refuses the login\(code >= 400 ? " with \(code)" : "")")
        case _ where code >= 400: ConnectionError("it answers with \(code)")
        default: ConnectionError(curl: result.rawValue, detail: detail)
        }
    }
}

/// What the server says, line by line.
private final class Replies {
    /// 235 follows a login and nothing else (RFC 4954 6).
    private(set) var hasAcceptedLogin = false

    func add(_ line: UnsafeRawBufferPointer) { if line.starts(with: "235".utf8) { hasAcceptedLogin = true } }
}
