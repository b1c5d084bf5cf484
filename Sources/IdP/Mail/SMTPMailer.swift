import Foundation
import Synchronization

/// Hands letters to a mail server by libcurl, on threads of its own: a server that says nothing holds up letters, never a request.
///
/// TLS with a verified certificate always, unless the server is on this very machine: a network that strips STARTTLS, or answers in the
/// server's place, would read the codes (RFC 8314). Then nothing is sent.
final class SMTPMailer: Mailer {
    /// How long a letter may take.
    struct Patience: Sendable {
        /// Until the server's host accepts the connection.
        var connect: Duration = .seconds(10)
        /// Until the server has been handed the whole letter.
        var handing: Duration = .seconds(30)
        /// And then until it says that it has it. Giving up there sends the letter twice: it was taken more often than not
        /// (RFC 5321 4.5.3.2.6 and 6.1).
        var answer: Duration = .seconds(120)
    }

    let settings: SMTPTransfer.Settings

    /// - Parameters:
    ///   - requiresTLS: nil for the rule above.
    ///   - caFile: certificates to trust in place of the system's; by default the file that `SSL_CERT_FILE` names, as everywhere with OpenSSL.
    init(
        _ endpoint: SMTPEndpoint, requiresTLS: Bool? = nil,
        caFile: String? = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], patience: Patience = Patience()
    ) {
        settings = SMTPTransfer.Settings(
            endpoint: endpoint, requiresTLS: requiresTLS ?? !endpoint.isLoopback,
            caFile: caFile.flatMap { $0.isEmpty ? nil : $0 }, patience: patience)
    }

    func send(_ letter: Letter) async throws(MailFailure) {
        let cancellation = Cancellation()
        let failure: MailFailure? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cancellation.wait(for: continuation)
                // A thread of its own, as many as the office has letters on their way: a pool of as many threads as the
                // machine has cores grows by one a second when all of them wait, and the whole program works in it.
                let thread = Thread { [settings] in
                    do throws(MailFailure) {
                        try SMTPTransfer(settings: settings, cancellation: cancellation).send(letter)
                        cancellation.finish(nil)
                    } catch {
                        cancellation.finish(error)
                    }
                }
                thread.name = "smtp"
                thread.start()
            }
        } onCancel: {
            // libcurl does not ask while it waits for the answer to the whole letter, and that may take minutes: the
            // thread is left to it.
            cancellation.cancel()
            cancellation.finish(.temporary("cancelled on the way"))
        }
        if let failure { throw failure }
    }

    /// Tells a conversation under way to end, and whoever waits for it how it ended, once.
    final class Cancellation: Sendable {
        private enum Wait {
            case none
            case waiting(CheckedContinuation<MailFailure?, Never>)
            case over(MailFailure?)
        }

        private let flag = Atomic(false)
        private let wait = Mutex(Wait.none)

        func cancel() { flag.store(true, ordering: .relaxed) }
        var isCancelled: Bool { flag.load(ordering: .relaxed) }

        func wait(for continuation: CheckedContinuation<MailFailure?, Never>) {
            let ended: Wait = wait.withLock { wait in
                if case .over = wait { return wait }
                wait = .waiting(continuation)
                return .none
            }
            if case .over(let failure) = ended { continuation.resume(returning: failure) }
        }

        func finish(_ failure: MailFailure?) {
            let waiting: Wait = wait.withLock { wait in
                defer { if case .over = wait {} else { wait = .over(failure) } }
                return wait
            }
            if case .waiting(let continuation) = waiting { continuation.resume(returning: failure) }
        }
    }
}
