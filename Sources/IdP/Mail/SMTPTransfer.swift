import CCurl
import Foundation
import SSOWeb

/// One conversation with a mail server. Blocks its thread until the server has the letter or it is clear that it has not.
struct SMTPTransfer {
    struct Settings: Sendable {
        let endpoint: SMTPEndpoint
        let requiresTLS: Bool
        let caFile: String?
        let patience: SMTPMailer.Patience
    }

    let settings: Settings
    let cancellation: SMTPMailer.Cancellation

    /// Once a process. Safe beside the same call elsewhere.
    static let isCurlReady = sso_curl_global_init() == CURLE_OK

    func send(_ letter: Letter) throws(MailFailure) {
        guard !cancellation.isCancelled else { throw .temporary("cancelled before it was sent") }
        guard Self.isCurlReady, let handle = curl_easy_init() else { throw .temporary("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        // The envelope is made of parsed addresses alone: dot-atoms hold nothing that SMTP could take for a command.
        guard let recipients = curl_slist_append(nil, "<\(letter.to.text)>") else { throw .temporary("out of memory") }
        defer { curl_slist_free_all(recipients) }
        let body = Body(letter.rfc5322(), cancellation, deadline: .now + settings.patience.handing)
        // The handle points at the body until it is cleaned up.
        try withExtendedLifetime(body) { () throws(MailFailure) in
            guard isSetUp(handle, letter, recipients, body) else { throw .temporary("this libcurl lacks SMTP or TLS") }
            let result = curl_easy_perform(handle)
            var code = 0
            _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            if let failure = failure(result, code: code, isLate: body.isLate) { throw failure }
        }
    }

    private func isSetUp(
        _ handle: UnsafeMutableRawPointer, _ letter: Letter, _ recipients: UnsafeMutablePointer<curl_slist>,
        _ body: Body
    ) -> Bool {
        let codes = [
            sso_curl_set_string(handle, CURLOPT_MAIL_FROM, "<\(letter.from.address.text)>"),
            sso_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
            sso_curl_set_long(handle, CURLOPT_UPLOAD, 1),
            body.attach(to: handle),
        ]
        return isSetUp(handle, from: letter.from) && codes.allSatisfy { $0 == CURLE_OK }
    }

    /// Sets where to connect, what is believed there, and as whom to log in.
    func isSetUp(_ handle: UnsafeMutableRawPointer, from: MailFrom) -> Bool {
        let endpoint = settings.endpoint
        let host = endpoint.isIPv6 ? "[\(endpoint.host)]" : endpoint.host
        let scheme = endpoint.isTLSFromStart ? "smtps" : "smtp"
        // The path is the name in our EHLO: the sender's domain is what the server will look up anyway.
        let greeting = from.address.text.split(separator: "@").last ?? "localhost"
        let useTLS = settings.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        var codes = [
            sso_curl_set_string(handle, CURLOPT_URL, "\(scheme)://\(host):\(endpoint.port)/\(greeting)"),
            sso_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            sso_curl_set_long(handle, CURLOPT_USE_SSL, Int(useTLS.rawValue)),
            sso_curl_set_common_options(handle, settings.caFile),
            sso_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, settings.patience.connect.wholeMilliseconds),
            sso_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, (settings.patience.handing + settings.patience.answer).wholeMilliseconds),
            sso_curl_set_long(
                handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, settings.patience.answer.secondsRoundedUp)),
        ]
        if let login = endpoint.login {
            codes.append(sso_curl_set_string(handle, CURLOPT_USERNAME, login.user))
            codes.append(sso_curl_set_string(handle, CURLOPT_PASSWORD, login.password))
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    /// - Parameters:
    ///   - code: the last SMTP reply code, 0 if there was none.
    ///   - isLate: the letter was not handed over in time.
    private func failure(_ result: CURLcode, code: Int, isLate: Bool) -> MailFailure? {
        switch result {
        case CURLE_OK: return nil
        case CURLE_ABORTED_BY_CALLBACK where isLate: return .temporary("the mail server took too long")
        case CURLE_ABORTED_BY_CALLBACK: return .temporary("cancelled on the way")
        case CURLE_USE_SSL_FAILED: return .unreachable("the mail server offers no STARTTLS: nothing was sent")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR:
            return .unreachable(
                "the mail server's TLS or certificate is not acceptable: nothing was sent (curl \(result.rawValue))")
        case CURLE_LOGIN_DENIED: return .unreachable("the mail server refused the login with \(code)")
        case CURLE_OPERATION_TIMEDOUT: return .temporary("the mail server took too long")
        case CURLE_COULDNT_RESOLVE_HOST: return .unreachable("the mail server's name is not known")
        case CURLE_COULDNT_CONNECT: return .unreachable("the mail server cannot be reached")
        default: break
        }
        switch code {
        case 500...599: return .permanent("the mail server refused the letter with \(code) (curl \(result.rawValue))")
        case 400...499: return .temporary("the mail server put the letter off with \(code) (curl \(result.rawValue))")
        default: return .temporary("the conversation with the mail server broke off (curl \(result.rawValue))")
        }
    }
}

/// The letter as libcurl reads it: from memory, in pieces, until it ends or is cancelled. libcurl doubles leading dots itself.
private final class Body {
    private let bytes: [UInt8]
    private let cancellation: SMTPMailer.Cancellation
    private let deadline: ContinuousClock.Instant
    private var position = 0
    /// The deadline has passed with part of the letter still here.
    private(set) var isLate = false

    init(_ bytes: [UInt8], _ cancellation: SMTPMailer.Cancellation, deadline: ContinuousClock.Instant) {
        self.bytes = bytes
        self.cancellation = cancellation
        self.deadline = deadline
    }

    private var isToEnd: Bool {
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
                return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().isToEnd ? 1 : 0
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
