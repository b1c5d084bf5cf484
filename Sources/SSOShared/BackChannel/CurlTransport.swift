/// Asks by libcurl, and waits without holding a thread. Dropping the last reference ends the driver's thread.
final class CurlTransport: Sendable {
    private let inbox = CurlInbox()
    private let limits: BackChannelLimits

    init(settings: CurlSettings) throws(BackChannelSetupFault) {
        limits = settings.limits
        try CurlDriver.start(settings: settings, inbox: inbox)
    }

    deinit { inbox.close() }

    /// One call, never repeated. Cancelling the task ends it early.
    func send(_ request: CurlRequest) async throws(TransportFailure) -> CurlResponse {
        let id = inbox.nextID()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.submit(
                    CurlTransfer(
                        id: id, request: request, asked: .now, replyBytes: limits.replyBytes,
                        continuation: continuation))
            }
        } onCancel: {
            inbox.cancel(id)
        }
        return try outcome.get()
    }
}
