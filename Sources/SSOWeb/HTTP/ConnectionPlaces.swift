import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Limits the number of connections and chooses which one to close when the limit is reached.
///
/// Only a connection that waits for its client (idle, part of a head or of a body) is closed, never one that is being
/// answered. The one that has waited longest is closed first. A new visitor's request arrives whole before its turn
/// comes, so idle connections and slow requests cannot keep it out (slow request attacks, OWASP ASVS 15.1.3).
///
/// Peers with more than a quarter of the places lose theirs first. With declared proxies every other peer is held to
/// that share at all times. Without, a peer may be a proxy for all visitors, so the share only decides the order.
final class ConnectionPlaces: Sendable {
    private struct Place {
        /// Nil for a trusted proxy, which has no share.
        let peer: [UInt8]?
        let close: @Sendable () -> Void
        /// The event number at which it began to wait for its client. nil while it is being answered.
        var waitingSince: Int?
    }

    private struct State {
        var places: [Int: Place] = [:]
        var perPeer: [[UInt8]: Int] = [:]
        /// Counts events. Gives connections their numbers and orders their waiting.
        var events = 0
        /// Open sockets, including those that have no place.
        var sockets = 0
        /// Whether the listener has stopped accepting because every connection was being answered.
        var isPaused = false
    }

    /// The share of one peer is a quarter of the places.
    static let shareDivisor = 4
    /// Additional sockets for connections that are closing.
    private static let slack = 64

    private let limit: Int
    private let share: Int
    private let addresses: ClientAddress
    private let state = Mutex(State())

    init(limit: Int, addresses: ClientAddress) {
        self.limit = limit
        self.addresses = addresses
        share = max(1, limit / Self.shareDivisor)
    }

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
            state.places[number]?.waitingSince = nil
            return state.places[number] != nil
        }
    }

    /// Marks a connection as waiting for its client.
    func wait(_ number: Int) {
        let victim = state.withLock { state -> Place? in
            guard state.places[number] != nil else { return nil }
            state.events += 1
            state.places[number]?.waitingSince = state.events
            guard state.isPaused else { return nil }
            state.isPaused = false
            return longestWaiting(&state) { _ in true }
        }
        victim?.close()
    }

    /// Removes a closed connection.
    func leave(_ number: Int) { state.withLock { _ = remove(number, &$0) } }

    fileprivate func socketOpened() { state.withLock { $0.sockets += 1 } }
    fileprivate func socketClosed() { state.withLock { $0.sockets -= 1 } }

    /// Whether another socket may be accepted: while a place is free or can be freed.
    fileprivate func takesSocket() -> Bool {
        state.withLock { state in
            var isTaking = state.sockets < limit
            if !isTaking, state.sockets < limit + Self.slack {
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

    private func longestWaiting(_ state: inout State, where isMeant: (Place) -> Bool) -> Place? {
        // Linear, some microseconds, and only when the places run out.
        var longest: (number: Int, since: Int)?
        for (number, place) in state.places {
            guard let since = place.waitingSince, since < longest?.since ?? .max, isMeant(place) else { continue }
            longest = (number, since)
        }
        return longest.flatMap { remove($0.number, &state) }
    }

    private func remove(_ number: Int, _ state: inout State) -> Place? {
        guard let place = state.places.removeValue(forKey: number) else { return nil }
        if let peer = place.peer, let count = state.perPeer[peer] { state.perPeer[peer] = count > 1 ? count - 1 : nil }
        return place
    }
}

/// Makes the listener accept connections as ``ConnectionPlaces`` permits.
struct ConnectionGate: AvailableConnectionsDelegate {
    let places: ConnectionPlaces

    func connectionOpened() { places.socketOpened() }
    func connectionClosed() { places.socketClosed() }
    func isAcceptingNewConnections() -> Bool { places.takesSocket() }
}

/// Reports to ``ConnectionPlaces`` whether a connection waits for its client or is being answered.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private var number: Int?
    /// Whole requests, and responses that the system has accepted whole. A response may be sent before its request is
    /// whole, so both are counted.
    private var (arrived, answered) = (0, 0)
    private var isAnswering = false
    private var isBusy = false
    /// Whether this connection has lost its place and is closing.
    private var isLost = false

    init(_ places: ConnectionPlaces) { self.places = places }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            arrived += 1
            update()
        }
        // The client would not see a response, so the request is not carried out.
        guard !isLost else { return }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational:
            isAnswering = true
            update()
        case .head, .body: break
        case .end:
            // Until the system has accepted all bytes: unsent bytes would be lost with the connection.
            let taken = promise ?? context.eventLoop.makePromise()
            taken.futureResult.assumeIsolated().whenComplete { [self] _ in
                answered += 1
                isAnswering = false
                update()
            }
            return context.write(data, promise: taken)
        }
        context.write(data, promise: promise)
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard number == nil else { return }
        let channel = context.channel
        number = places.enter(channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)) { channel.close(promise: nil) }
    }

    private func leave() {
        number.map(places.leave)
        number = nil
    }

    private func update() {
        let isBusy = arrived > answered || isAnswering
        guard let number, isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy { isLost = !places.beginAnswer(number) } else { places.wait(number) }
    }
}
