import IdPClients
import IdPSignOut
import SSOWeb

/// A receipt on a page: the client, and whether the end of a session has arrived there.
struct ReceiptItem: Encodable, Sendable {
    let client, logo, logoSizeHTML: String
    let at, next: Moment
    let hasLogo, isDelivered, isTrying, isWaiting, isGivenUp, isNotTold: Bool

    /// - Parameter client: nil for one that is not registered any more.
    init(_ receipt: SignOutReceipt, _ client: Client?, _ logos: ClientLogos, _ texts: Texts) {
        self.client = client?.name ?? receipt.clientID
        logo = client.map { logos.path(of: $0) } ?? ""
        logoSizeHTML = client.map { logos.size(of: $0) } ?? ""
        hasLogo = !logo.isEmpty
        var (delivered, next): (Timestamp?, Timestamp?)
        if case .delivered(let moment) = receipt.state { delivered = moment }
        if case .waiting(let moment) = receipt.state { next = moment }
        let epoch = Timestamp(milliseconds: 0)
        (at, self.next) = (texts.moment(delivered ?? epoch), texts.moment(next ?? epoch))
        (isDelivered, isWaiting) = (delivered != nil, next != nil)
        isTrying = receipt.state == .waiting(next: nil)
        (isGivenUp, isNotTold) = (receipt.state == .givenUp, receipt.state == .notTold)
    }
}
