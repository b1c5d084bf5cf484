import SSOShared
import SSOWeb

/// All registered relying parties: from `IDP_CLIENTS_FILE`, from the `SSO_…` settings, or both.
struct ClientRegistry: Sendable {
    private let byID: [[UInt8]: PartnerClient]
    /// In the order of registration.
    let all: [PartnerClient]

    /// - Parameter problem: told what is wrong with clients beside each other: one id twice, one secret for two.
    init(_ clients: [PartnerClient], problem: (String) -> Void = { _ in }) {
        var byID: [[UInt8]: PartnerClient] = [:]
        for client in clients {
            if byID.updateValue(client, forKey: Array(client.id.utf8)) != nil {
                problem("clients: the id \"\(client.id)\" is registered twice.")
            }
        }
        for (index, client) in clients.enumerated() {
            for other in clients[(index + 1)...]
            where client.secrets.contains(where: { one in other.secrets.contains { one.isSame(as: $0) } }) {
                // With one secret for two partners either could redeem and forge for the other.
                problem("clients: \"\(client.id)\" and \"\(other.id)\" have the same secret. Give each its own.")
            }
        }
        self.byID = byID
        all = clients
    }

    /// The client with exactly this id.
    func client(id: [UInt8]) -> PartnerClient? { byID[id] }
    func client(id: String) -> PartnerClient? { byID[Array(id.utf8)] }
}
