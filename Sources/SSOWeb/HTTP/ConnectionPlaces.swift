import HummingbirdCore
import Synchronization

/// Limits the number of connections and the bytes that they hold in memory, and chooses which one to close when a limit
/// is reached.
///
/// Only a connection that waits for its client (idle, part of a head or of a body) is closed, never one that is being
/// answered. For a place, the one that has waited longest is closed first. A new visitor's request arrives whole before
/// its turn comes, so idle connections and slow requests cannot keep it out (slow request attacks, OWASP ASVS 15.1.3).
///
/// For bytes, one whose client does not take its answer is closed as well. One that alone holds more than a quarter is
/// closed first, otherwise the one that has held bytes longest. What a connection holds up to ``HeldBytes/allowance``
/// never counts, so a small request passes whatever others hold.
///
/// Peers with more than a quarter of the places or bytes lose theirs first. With declared proxies every other peer is
/// held to that share at all times. Without, a peer may be a proxy for all visitors, so the share only decides the order.
final class ConnectionPlaces: Sendable {
    private struct Place {
        /// Nil for a trusted proxy, which has no share.
        let peer: [UInt8]?
        let close: @Sendable () -> Void
        /// The event number at which it began to wait for its client. nil while it is being answered.
        var waitingSince: Int?
        /// The bytes that it holds beyond its allowance.
        var held = 0
        /// Whether its client does not take an answer.
        var isUntaken = false
        /// The event number at which it began to hold them.
        var holdingSince = 0
    }

    private struct State {
        var places: [Int: Place] = [:]
        var perPeer: [[UInt8]: Int] = [:]
        /// The bytes that all connections hold beyond their allowance.
        var held = 0
        var heldPerPeer: [[UInt8]: Int] = [:]
        /// Counts events. Gives connections their numbers and orders their waiting.
        var events = 0
        /// Connections that have lost or left their place.
        var closed = 0
        /// Open sockets, including those that have no place.
        var sockets = 0
        /// Whether the listener has stopped accepting because every connection was being answered.
        var isPaused = false
    }

    /// The share of one peer is a quarter of the places and of the bytes.
    static let shareDivisor = 4

    private let limit: Int
    /// Additional sockets for connections that are closing. Fewer than the places: each may take one later than a new visitor,
    /// when its event loop was busy, and must not use up the visitor's turn.
    private let slack: Int
    private let maximumBytes: Int
    private let addresses: ClientAddress
    private let state = Mutex(State())

    private var share: Int { max(1, limit / Self.shareDivisor) }
    private var shareOfBytes: Int { maximumBytes / Self.shareDivisor }

    /// - Parameters:
    ///   - limit: the number of connections.
    ///   - bytes: how many bytes all connections together may hold beyond their allowances.
    init(limit: Int, bytes: Int = ServerLimits().heldBytes, addresses: ClientAddress) {
        self.limit = limit
        slack = min(64, max(4, limit / 4))
        self.addresses = addresses
        maximumBytes = bytes
    }

    /// The bytes that all connections hold beyond their allowances.
    var heldBytes: Int { state.withLock { $0.held } }

    /// Connections that have lost or left their place since the start.
    var closed: Int { state.withLock { $0.closed } }

    /// Gives a place to a new connection. Closes another one when there are too many.
    ///
    /// - Parameters:
    ///   - close: ends the connection. Called at most once, from any thread.
    /// - Returns: the number of the connection for the other calls.
    func enter(_ peer: IPAddress?, close: @escaping @Sendable () -> Void) -> Int {
        let isProxy = peer.map(addresses.isTrusted) ?? false
        let key = isProxy ? nil : peer?.networkKey
        let (number, victim) = state.withLock { state in
            state.events += 1
            let number = state.events
            state.places[number] = Place(peer: key, close: close, waitingSince: number)
            if let key { state.perPeer[key, default: 0] += 1 }
            return (number, makeRoom(&state, for: key))
        }
        victim?.close()
        return number
    }

    /// Marks a connection as being answered.
    ///
    /// - Returns: whether it still has its place. Otherwise it is being closed and must not be answered.
    func beginAnswer(_ number: Int) -> Bool {
        state.withLock { state in
            guard var place = state.places[number] else { return false }
            place.waitingSince = nil
            state.places[number] = place
            return true
        }
    }

    /// Marks a connection as waiting for its client.
    func wait(_ number: Int) {
        let victim = state.withLock { state -> Place? in
            guard var place = state.places[number] else { return nil }
            state.events += 1
            place.waitingSince = state.events
            state.places[number] = place
            guard state.isPaused else { return nil }
            state.isPaused = false
            return longestWaiting(&state) { _ in true }
        }
        victim?.close()
    }

    /// Notes how many bytes a connection holds beyond its allowance. Closes connections while all of them together hold
    /// too many.
    ///
    /// - Parameter isUntaken: whether they are of an answer that its client does not take.
    /// - Returns: whether the connection still has its place.
    func hold(_ number: Int, bytes: Int, isUntaken: Bool = false) -> Bool {
        let (victims, isKept) = state.withLock { state -> ([Place], Bool) in
            guard var place = state.places[number] else { return ([], false) }
            state.events += 1
            if place.held == 0 { place.holdingSince = state.events }
            count(bytes - place.held, of: place.peer, &state)
            (place.held, place.isUntaken) = (bytes, isUntaken)
            state.places[number] = place
            var victims: [Place] = []
            while let victim = freeBytes(&state, for: place.peer) { victims.append(victim) }
            return (victims, state.places[number] != nil)
        }
        for victim in victims { victim.close() }
        return isKept
    }

    /// Removes a closed connection.
    func leave(_ number: Int) { state.withLock { _ = remove(number, &$0) } }

    fileprivate func socketOpened() { state.withLock { $0.sockets += 1 } }
    fileprivate func socketClosed() { state.withLock { $0.sockets -= 1 } }

    /// Whether another socket may be accepted: while a place is free or can be freed.
    fileprivate func takesSocket() -> Bool {
        state.withLock { state in
            var isTaking = state.sockets < limit
            if !isTaking, state.sockets < limit + slack {
                isTaking = state.places.values.contains { $0.waitingSince != nil }
            }
            state.isPaused = !isTaking
            return isTaking
        }
    }

    private func makeRoom(_ state: inout State, for peer: [UInt8]?) -> Place? {
        if let peer, !addresses.hasNoTrustedProxies, let count = state.perPeer[peer], count > share {
            return longestWaiting(&state) { $0.peer == peer }
        }
        guard state.places.count > limit else { return nil }
        let perPeer = state.perPeer
        return longestWaiting(&state) { $0.peer.flatMap { perPeer[$0] } ?? 0 > share }
            ?? longestWaiting(&state) { _ in true }
    }

    /// Removes a connection that holds bytes, if there are too many of them. None of those that are being answered.
    private func freeBytes(_ state: inout State, for peer: [UInt8]?) -> Place? {
        if let peer, !addresses.hasNoTrustedProxies, state.heldPerPeer[peer] ?? 0 > shareOfBytes,
            let place = longestHolding(&state, where: { $0.peer == peer })
        {
            return place
        }
        guard state.held > maximumBytes else { return nil }
        let perPeer = state.heldPerPeer
        return longestHolding(&state) { $0.held > shareOfBytes }
            ?? longestHolding(&state) { $0.peer.flatMap { perPeer[$0] } ?? 0 > shareOfBytes }
            ?? longestHolding(&state) { _ in true }
    }

    private func longestWaiting(_ state: inout State, where isMeant: (Place) -> Bool) -> Place? {
        removeOldest(&state) { isMeant($0) ? $0.waitingSince : nil }
    }

    private func longestHolding(_ state: inout State, where isMeant: (Place) -> Bool) -> Place? {
        removeOldest(&state) {
            ($0.waitingSince != nil || $0.isUntaken) && $0.held > 0 && isMeant($0) ? $0.holdingSince : nil
        }
    }

    /// - Parameter since: the event number by which connections are compared. nil for one that stays.
    private func removeOldest(_ state: inout State, by since: (Place) -> Int?) -> Place? {
        // Linear, some microseconds, and only when places or bytes run out.
        var oldest: (number: Int, since: Int)?
        for (number, place) in state.places {
            guard let since = since(place), since < oldest?.since ?? .max else { continue }
            oldest = (number, since)
        }
        return oldest.flatMap { remove($0.number, &state) }
    }

    private func remove(_ number: Int, _ state: inout State) -> Place? {
        guard let place = state.places.removeValue(forKey: number) else { return nil }
        state.closed += 1
        if let peer = place.peer, let count = state.perPeer[peer] { state.perPeer[peer] = count > 1 ? count - 1 : nil }
        count(-place.held, of: place.peer, &state)
        return place
    }

    private func count(_ bytes: Int, of peer: [UInt8]?, _ state: inout State) {
        state.held += bytes
        guard let peer, bytes != 0 else { return }
        let held = (state.heldPerPeer[peer] ?? 0) + bytes
        state.heldPerPeer[peer] = held > 0 ? held : nil
    }
}

/// Makes the listener accept connections as ``ConnectionPlaces`` permits.
struct ConnectionGate: AvailableConnectionsDelegate {
    let places: ConnectionPlaces

    func connectionOpened() { places.socketOpened() }
    func connectionClosed() { places.socketClosed() }
    func isAcceptingNewConnections() -> Bool { places.takesSocket() }
}
