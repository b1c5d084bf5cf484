import Foundation
import NIOCore
import Synchronization

/// Whether the program is shutting down. Then `/readyz` answers 503 and every response ends its connection.
public final class ShutdownState: Sendable {
    private let hasBegun = Atomic(false)
    private let listener = Mutex<(any Channel)?>(nil)

    public init() {}

    /// Whether the shutdown has begun.
    public var isUnderWay: Bool { hasBegun.load(ordering: .relaxed) }

    /// Begins the shutdown.
    public func begin() { hasBegun.store(true, ordering: .relaxed) }

    /// The server listens there.
    func listens(on channel: any Channel) { listener.withLock { $0 = channel } }

    /// Leaves connections that arrive from now on to the process that has the port next: their packets are dropped, and the
    /// client's system sends them again after a second. What waits in the queue of the listener is still accepted; closing it at
    /// once would reset these connections, and a proxy may not repeat a POST.
    func holdBackNewConnections() async {
        guard let options = listener.withLock({ $0 }) as? any SocketOptionProvider else { return }
        let program = PacketFilter.droppingAll()
        // Without the option, as on another system, the listener is closed with its queue.
        try? await options.unsafeSetSocketOption(level: .socket, name: PacketFilter.option, value: program).get()
        program.instructions.deallocate()
    }
}

/// A filter of a socket (socket(7), `SO_ATTACH_FILTER`), laid out as `struct sock_fprog`.
private struct PacketFilter: @unchecked Sendable {
    static let option = NIOBSDSocket.Option(rawValue: SO_ATTACH_FILTER)

    /// How many there are.
    let count: UInt16
    /// Each as `struct sock_filter`.
    let instructions: UnsafeMutablePointer<Instruction>

    struct Instruction {
        let code: UInt16
        let jumpIfTrue, jumpIfFalse: UInt8
        let operand: UInt32
    }

    /// One instruction: `ret #0`, of each packet nothing is kept.
    static func droppingAll() -> PacketFilter {
        let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: 1)
        instructions.initialize(to: Instruction(code: 0x06, jumpIfTrue: 0, jumpIfFalse: 0, operand: 0))
        return PacketFilter(count: 1, instructions: instructions)
    }
}
