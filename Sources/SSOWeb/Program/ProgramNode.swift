import Foundation
public import Logging
import SSOShared
public import ServiceLifecycle
public import Storage
import Synchronization

/// This process among those that work on one database: shows itself every two seconds, compares itself with the others, and
/// sets its clock by the database's.
public struct ProgramNode: Service {
    private static let interval = Duration.seconds(2)
    /// Beyond this the operator should look at the machine's clock.
    private static let toleratedDifference = Duration.seconds(2)

    /// As the other nodes and `idp database status` name this process.
    public let id: String
    private let database: any NodeDatabase
    private let describe: @Sendable () -> DatabaseNode
    private let description: NodeDescription
    private let time: DatabaseClock
    private let logger: Logger
    private let choice = Choice()

    /// Which node does what one of them does. For a moment it may be two, or none.
    private final class Choice: Sendable {
        let isOwn = Mutex(false)
        let others = Mutex(0)
    }

    /// The time of all nodes.
    public var clock: ServiceClock { time.clock }
    /// Whether this node was the one with the lowest id at the last heartbeat.
    public var isChosen: Bool { choice.isOwn.withLock { $0 } }
    /// Whether other nodes lived at the last heartbeat.
    public var hasOthers: Bool { choice.others.withLock { $0 > 0 } }

    /// Joins the other processes on the database. Nil for an engine on which they need nothing of each other.
    ///
    /// - Throws: ``SettingError`` when a live node has another public address, or shares no key. The database is closed then.
    public static func join(
        _ database: any Database, as description: NodeDescription, _ logger: Logger
    ) async throws -> ProgramNode? {
        guard let database = database as? any NodeDatabase else { return nil }
        do {
            let id = "node_" + Base64URL.encode(try SystemRandomness().bytes(9))
            let describe = { @Sendable in description.node(id) }
            let before = ContinuousClock.now
            let report = try await database.join(describe()).mapError(description.error).get()
            return ProgramNode(
                id: id, database: database, describe: describe, description: description,
                time: DatabaseClock(report.databaseTime, before: before, after: .now), logger: logger)
        } catch {
            await database.close()
            throw error
        }
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var known = Known()
            while !Task.isCancelled {
                await beat(&known)
                try? await Task.sleep(for: Self.interval)
            }
        }
        // The others need not wait until it is gone for ten seconds.
        try? await database.leave(describe())
    }

    /// What the log has already.
    private struct Known {
        var differences: Set<String> = []
        var hasOtherTime = false
    }

    private func beat(_ known: inout Known) async {
        let (node, before, wall) = (describe(), ContinuousClock.now, Date().timeIntervalSince1970)
        // Without the database the node serves 503. The next beat tries again.
        guard let report = try? await database.beat(node) else { return }
        let after = ContinuousClock.now
        time.set(report.databaseTime, before: before, after: after)
        choice.others.withLock { $0 = report.others.count }
        choice.isOwn.withLock { $0 = report.others.allSatisfy { $0.id > node.id } }
        noteDifferences(node, report.others, &known)
        let difference = Duration.milliseconds(report.databaseTime) - .seconds(wall)
        let latest = Self.toleratedDifference + (after - before)
        let isFar = difference > latest || difference + Self.toleratedDifference < .zero
        if isFar, !known.hasOtherTime {
            logger.record(
                Event(
                    .clockDiffers,
                    [
                        "seconds": "\(difference.components.seconds)",
                        "message": "The database's clock differs from the one of this machine. The database's is used.",
                    ]))
        }
        known.hasOtherTime = isFar
    }

    private func noteDifferences(_ node: DatabaseNode, _ others: [DatabaseNode], _ known: inout Known) {
        var found: Set<String> = []
        for other in others {
            for name in description.differences(node, from: other) {
                let key = "\(other.id) \(name)"
                found.insert(key)
                guard !known.differences.contains(key) else { continue }
                logger.record(
                    Event(
                        .nodeSettingsDiffer,
                        ["node": "\(other.id)", "setting": "\(name)", "version": "\(other.version)"]))
            }
        }
        known.differences = found
    }
}
