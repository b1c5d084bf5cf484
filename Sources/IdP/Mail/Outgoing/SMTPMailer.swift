import Foundation
import Synchronization

/// Sends emails to a mail server through libcurl, on threads of its own: a silent server delays emails, never a request.
///
/// Always uses TLS with a verified certificate, unless the server is on this machine: a network that removes STARTTLS, or
/// answers instead of the server, would read the codes (RFC 8314). Without it nothing is sent.
package final class SMTPMailer: Mailer {
    /// How long an email may take.
    package struct Timeouts: Sendable {
        /// Until the server's host accepts the connection.
        var connect: Duration = .seconds(10)
        /// Until the server has received the whole email.
        var upload: Duration = .seconds(30)
        /// And then until it confirms it. Giving up earlier would send the email twice, because the server has mostly accepted
        /// it (RFC 5321 4.5.3.2.6 and 6.1).
        var answer: Duration = .seconds(120)

        package init(
            connect: Duration = .seconds(10), upload: Duration = .seconds(30), answer: Duration = .seconds(120)
        ) {
            (self.connect, self.upload, self.answer) = (connect, upload, answer)
        }
    }

    let settings: SMTPTransfer.Settings

    /// - Parameters:
    ///   - greeting: the name in EHLO; nil for this machine's.
    ///   - requiresTLS: nil for the rule above.
    ///   - caFile: certificates to trust instead of the system's; by default the file that `SSL_CERT_FILE` names, as everywhere with OpenSSL.
    package init(
        _ endpoint: SMTPEndpoint, greeting: MailGreeting? = nil, requiresTLS: Bool? = nil,
        caFile: String? = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], timeouts: Timeouts = Timeouts()
    ) {
        settings = SMTPTransfer.Settings(
            endpoint: endpoint, greeting: greeting, requiresTLS: requiresTLS ?? !endpoint.isLoopback,
            caFile: caFile.flatMap { $0.isEmpty ? nil : $0 }, timeouts: timeouts)
    }

    package var destination: String { settings.endpoint.authority }

    package func send(_ email: EmailMessage) async throws(MailError) {
        let cancellation = Cancellation()
        let failure: MailError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cancellation.wait(for: continuation)
                // A thread of its own for each email under way. Dispatch has a thread per core and adds one per second when
                // all of them block, and the whole program uses it.
                let thread = Thread { [settings] in
                    do throws(MailError) {
                        try SMTPTransfer(settings: settings, cancellation: cancellation).send(email)
                        cancellation.finish(nil)
                    } catch {
                        cancellation.finish(error)
                    }
                }
                thread.name = "smtp"
                thread.start()
            }
        } onCancel: {
            // libcurl does not check for cancellation while it waits for the answer to the whole email, which may take
            // minutes. The thread ends by itself.
            cancellation.cancel()
            cancellation.finish(.temporary("cancelled while it was sent"))
        }
        if let failure { throw failure }
    }

    /// Ends a conversation under way, and resumes the task that waits for it, once.
    final class Cancellation: Sendable {
        private enum Wait {
            case none
            case waiting(CheckedContinuation<MailError?, Never>)
            case finished(MailError?)
        }

        private let flag = Atomic(false)
        private let wait = Mutex(Wait.none)

        func cancel() { flag.store(true, ordering: .relaxed) }
        var isCancelled: Bool { flag.load(ordering: .relaxed) }

        func wait(for continuation: CheckedContinuation<MailError?, Never>) {
            let ended: Wait = wait.withLock { wait in
                if case .finished = wait { return wait }
                wait = .waiting(continuation)
                return .none
            }
            if case .finished(let failure) = ended { continuation.resume(returning: failure) }
        }

        func finish(_ failure: MailError?) {
            let waiting: Wait = wait.withLock { wait in
                defer { if case .finished = wait {} else { wait = .finished(failure) } }
                return wait
            }
            if case .waiting(let continuation) = waiting { continuation.resume(returning: failure) }
        }
    }
}
