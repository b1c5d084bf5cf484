import IdPAdmin
import IdPOperations
import Logging
import SSOWeb
import ServiceLifecycle

/// Tells admins of what commands have changed, a few seconds later. What a page has changed is told with its answer.
struct AdminTelling: Service {
    let notices: AdminNotices
    let logger: Logger
    private let notTold = RepeatedEvent()

    init(notices: AdminNotices, logger: Logger) { (self.notices, self.logger) = (notices, logger) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(5))
                do { try await notices.round() } catch {
                    notTold.record(Event(.adminsNotTold, cause: "\(error)"), logger)
                }
            }
        }
    }
}
