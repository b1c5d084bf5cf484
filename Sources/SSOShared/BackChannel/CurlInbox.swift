import CCurl
import Synchronization

/// The one thing that callers and the driver's thread share: what is to be done, and the bell that wakes the thread.
final class CurlInbox: Sendable {
    struct Orders {
        var submitted: [CurlTransfer] = []
        var cancelled: Set<UInt64> = []
        var isClosing = false
    }

    /// The multi handle as seen from other threads: only ever rung. It is taken away, under the same lock, before the
    /// driver frees it.
    private struct Bell: @unchecked Sendable {
        var multi: UnsafeMutableRawPointer?
        func ring() { if let multi { curl_multi_wakeup(multi) } }
    }

    private struct State {
        var orders = Orders()
        var bell = Bell()
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Lets other threads ring; nil before the multi handle is freed. Returns what was left undone.
    @discardableResult
    func connect(_ multi: UnsafeMutableRawPointer?) -> Orders {
        let bell = Bell(multi: multi)
        return state.withLock { state in
            state.bell = bell
            if bell.multi == nil { state.orders.isClosing = true }
            return bell.multi == nil ? Self.drain(&state) : Orders()
        }
    }

    func nextID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Hands a call over, or ends it at once.
    func submit(_ transfer: CurlTransfer) {
        let refusal: TransportFailure? = state.withLock { state in
            // Asked under the lock: a cancellation either is seen here, or finds the transfer submitted.
            if Task.isCancelled { return .cancelled }
            if state.orders.isClosing { return .closed }
            state.orders.submitted.append(transfer)
            state.bell.ring()
            return nil
        }
        if let refusal { transfer.finish(.failure(refusal)) }
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            state.orders.cancelled.insert(id)
            state.bell.ring()
        }
    }

    func close() {
        state.withLock { state in
            state.orders.isClosing = true
            state.bell.ring()
        }
    }

    /// Everything ordered since the last time.
    func take() -> Orders { state.withLock { Self.drain(&$0) } }

    private static func drain(_ state: inout State) -> Orders {
        defer {
            state.orders.submitted = []
            state.orders.cancelled = []
        }
        return state.orders
    }
}
