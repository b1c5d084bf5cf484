package import IdPClients
import IdPSignOut
import SSOWeb
package import Storage

/// Tries messages to clients at once, also those that were given up.
package struct RetrySignOuts: OperatorChange {
    package enum Chosen: Sendable {
        case one(String)
        /// Every one that waits for a later try, or was given up, of a client; nil for all clients.
        case all(client: String?)
    }

    let chosen: Chosen

    package init(_ chosen: Chosen) { self.chosen = chosen }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Int> {
        let queue = context.signOuts.queue
        let messages: [QueuedSignOut]
        switch chosen {
        case .one(let id):
            guard let message = try queue.find(id, connection) else {
                throw ChangeError("there is no message \(id). idp sign-outs list prints their ids.")
            }
            messages = [message]
        case .all(let client):
            messages = try queue.undelivered(of: client, connection)
            // One that was removed may still have messages.
            if messages.isEmpty, let client {
                let known = try KnownClients(file: ClientRegistry([], of: context.protocols), connection)
                if let problem = known.problem(with: client) { throw ChangeError(problem) }
            }
        }
        var count = 0
        for message in messages where try queue.retry(message.id, at: context.now, connection) {
            count += 1
            try context.record(message.event(.signOutQueued, cause: "retried"), connection)
        }
        return Changed(count, isChanged: count > 0)
    }
}
