package import IdPClients
import IdPSignOut
import SSOWeb
package import Storage

/// Gives up a message to a client that waits for a later try. It can be tried again.
package struct GiveUpSignOut: OperatorChange {
    private let id: String

    package init(_ id: String) { self.id = id }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Void> {
        let queue = context.signOuts.queue
        guard let message = try queue.find(id, connection) else {
            throw ChangeError("there is no message \(id). idp sign-outs list prints their ids.")
        }
        guard case .waiting = message.state else { return Changed((), isChanged: false) }
        try queue.giveUp(id, "operator", at: context.now, connection)
        try context.record(message.event(.signOutGivenUp, cause: "operator"), connection)
        return Changed((), isChanged: true)
    }
}
