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
        /// All in all.
        var whole: Duration = .seconds(30)
    }

    /// Conversations at once. More would look like a flood to many servers.
    static let parallel = 4

    private let settings: SMTPTransfer.Settings
    private let threads: OperationQueue

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
        threads = OperationQueue()
        threads.name = "smtp"
        threads.maxConcurrentOperationCount = Self.parallel
    }

    func send(_ letter: Letter) async throws(MailFailure) {
        let cancellation = Cancellation()
        let failure: MailFailure? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                threads.addOperation { [settings] in
                    do throws(MailFailure) {
                        try SMTPTransfer(settings: settings, cancellation: cancellation).send(letter)
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error)
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        if let failure { throw failure }
    }

    /// Tells a conversation under way to end.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)
        func cancel() { flag.store(true, ordering: .relaxed) }
        var isCancelled: Bool { flag.load(ordering: .relaxed) }
    }
}
