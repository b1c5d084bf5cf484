public import Foundation
public import SSOShared
import Synchronization

/// The sign-out messages that one process has received. Enough for a relying party of one process that forgets its sessions when it
/// ends as well; write your own over your database for several.
///
/// Note a message before you end sessions, and ask after you have made one: then a message that arrives at that moment ends the
/// session by one of the two.
public final class SeenSignOuts: Sendable {
    private let messages = Mutex<[(message: SignOutMessage, at: Date)]>([])

    public init() {}

    /// Notes a message.
    ///
    /// - Returns: false if its id was seen before: nothing may end then.
    public func note(_ message: SignOutMessage, now: Date = Date()) -> Bool {
        messages.withLock { messages in
            messages.removeAll { now.timeIntervalSince($0.at) > SignOutReceiver.memory / .seconds(1) }
            guard !messages.contains(where: { $0.message.id.utf8.elementsEqual(message.id.utf8) }) else { return false }
            messages.append((message, now))
            return true
        }
    }

    /// Whether a session that has just been made is over already.
    ///
    /// - Parameter start: before the token was redeemed.
    public func include(user: String, session: String, since start: Date) -> Bool {
        messages.withLock { messages in
            messages.contains { message, at in
                guard message.user.utf8.elementsEqual(user.utf8) else { return false }
                return message.session.map { $0.utf8.elementsEqual(session.utf8) } ?? (at >= start)
            }
        }
    }
}
