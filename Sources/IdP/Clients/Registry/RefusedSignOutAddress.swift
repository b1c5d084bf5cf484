import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// An address that a client's sign-out request names, and that the browser is not sent to: what log and audit log say of it.
package struct RefusedSignOutAddress: Sendable {
    /// A stable id for the log.
    let cause: String
    let client: Client?
    let sentClientID, sentAddress: [UInt8]?
    /// The registered address that is most like it.
    let nearest: String?

    /// - Parameters:
    ///   - client: the one that the request names, if it is registered.
    ///   - registered: the addresses that it may go back to.
    package init(
        _ cause: String, client: Client?, registered: [String] = [], sentClientID: [UInt8]?, sentAddress: [UInt8]?
    ) {
        (self.cause, self.client, self.sentClientID, self.sentAddress) = (cause, client, sentClientID, sentAddress)
        nearest = sentAddress.flatMap { Client.nearest(to: $0, in: registered) }
    }

    /// - Parameter kind: the id of the client protocol.
    package func log(_ kind: String, _ context: VisitorContext) {
        var further: Logger.Metadata = ["protocol": "\(kind)"]
        if client == nil, let sentClientID { further["sent_client_id"] = "\(SentText.clientID(sentClientID))" }
        if let sentAddress { further["sent_address"] = "\(SentText.address(sentAddress))" }
        if let nearest { further["nearest"] = "\(nearest)" }
        context.record(Event(.signOutAddressRefused, by: .visitor, client: client?.id, cause: cause, further))
    }
}
