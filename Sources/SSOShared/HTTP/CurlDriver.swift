import CCurl
import COpenSSL
import Foundation
import Synchronization

/// What callers and the thread of a ``CurlDriver`` share: the orders, and the means to wake the thread.
final class CurlInbox: Sendable {
    struct Orders {
        var submitted: [CurlTransfer] = []
        var cancelled: Set<ObjectIdentifier> = []
        var isClosing = false
    }

    /// The multi handle as other threads see it: they only wake it. Removed, under the lock, before it is freed.
    private struct Bell: @unchecked Sendable {
        var multi: UnsafeMutableRawPointer?
        func ring() { if let multi { curl_multi_wakeup(multi) } }
    }

    private let state = Mutex((orders: Orders(), bell: Bell()))

    func submit(_ transfer: CurlTransfer, _ continuation: CheckedContinuation<CurlTransfer.Outcome, Never>) {
        transfer.continuation = continuation
        let refusal: ConnectionError? = state.withLock { state in
            // Checked under the lock: a cancellation is either seen here, or finds the transfer submitted.
            if Task.isCancelled { return .cancelled }
            if state.orders.isClosing { return .closed }
            state.orders.submitted.append(transfer)
            state.bell.ring()
            return nil
        }
        if let refusal { transfer.finish(.failure(refusal)) }
    }

    func cancel(_ transfer: CurlTransfer) {
        state.withLock { state in
            state.orders.cancelled.insert(ObjectIdentifier(transfer))
            state.bell.ring()
        }
    }

    func close() {
        state.withLock { state in
            state.orders.isClosing = true
            state.bell.ring()
        }
    }

    /// Everything ordered since the last call.
    func take() -> Orders {
        state.withLock { state in
            defer { state.orders = Orders(isClosing: state.orders.isClosing) }
            return state.orders
        }
    }

    /// Sets what wakes the thread; nil before the multi handle is freed.
    func connect(_ multi: UnsafeMutableRawPointer?) {
        let bell = Bell(multi: multi)
        state.withLock { $0.bell = bell }
    }
}

/// Runs all transfers of one ``HTTPClient`` on one thread of its own: neither an event loop nor Swift's pool of threads ever
/// waits for the network, and calls that hang cost no threads. Everything here belongs to that thread.
final class CurlDriver {
    private let inbox: CurlInbox
    private let limits: HTTPLimits
    private let multi: UnsafeMutableRawPointer
    private var waiting: [CurlTransfer] = []
    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    /// Starts the thread. It ends after ``CurlInbox/close()``.
    static func start(inbox: CurlInbox, limits: HTTPLimits) throws(ConnectionError) {
        guard isCurlReady, let multi = curl_multi_init() else {
            throw .impossible("libcurl could not be initialised")
        }
        _ = sso_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limits.concurrentCalls)
        inbox.connect(multi)
        nonisolated(unsafe) let owned = multi
        let thread = Thread {
            // Set by the thread itself, so that it reaches the kernel.
            Thread.current.name = "sso-http"
            blockSignals()
            CurlDriver(inbox, limits, owned).run()
        }
        thread.start()
    }

    private static let isCurlReady: Bool = {
        // Otherwise a program that ends with `exit` frees what a closing connection still uses on the thread here, and crashes.
        sso_openssl_keep_at_exit()
        return sso_curl_global_init() == CURLE_OK
    }()

    private init(_ inbox: CurlInbox, _ limits: HTTPLimits, _ multi: UnsafeMutableRawPointer) {
        self.inbox = inbox
        self.limits = limits
        self.multi = multi
    }

    private func run() {
        while true {
            let orders = inbox.take()
            if orders.isClosing { return shutDown(orders) }
            accept(orders)
            startWaiting()
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            // A finished call gives its place to the next one before the thread sleeps.
            if collectFinished(), !waiting.isEmpty { continue }
            // libcurl watches the limits of the running transfers, this the wait of the first in the queue.
            let sleep = waiting.first.map { limits.queue - (.now - $0.start) } ?? .seconds(60)
            curl_multi_poll(multi, nil, 0, Int32(clamping: sleep.curlMilliseconds), nil)
        }
    }

    private var freePlaces: Int { max(0, limits.concurrentCalls - running.count) }

    private func accept(_ orders: CurlInbox.Orders) {
        for transfer in orders.submitted {
            if waiting.count < limits.waitingCalls + freePlaces {
                waiting.append(transfer)
            } else {
                transfer.finish(.failure(.busy))
            }
        }
        guard !orders.cancelled.isEmpty else { return }
        for transfer in waiting + Array(running.values) where orders.cancelled.contains(ObjectIdentifier(transfer)) {
            end(transfer, .failure(.cancelled))
        }
        waiting.removeAll { orders.cancelled.contains(ObjectIdentifier($0)) }
    }

    private func startWaiting() {
        while freePlaces > 0, !waiting.isEmpty {
            let transfer = waiting.removeFirst()
            do throws(ConnectionError) {
                let handle = try transfer.prepare()
                guard curl_multi_add_handle(multi, handle) == CURLM_OK else { throw .impossible("libcurl is busy") }
                running[handle] = transfer
            } catch {
                transfer.finish(.failure(error))
            }
        }
        let now = ContinuousClock.now
        waiting.removeAll { transfer in
            guard now - transfer.start >= limits.queue else { return false }
            transfer.finish(.failure(.busy))
            return true
        }
    }

    /// Ends the transfers that libcurl has finished. Returns whether there were any.
    private func collectFinished() -> Bool {
        var hasFinished = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let item = running[message.pointee.easy_handle] else { continue }
            hasFinished = true
            end(item, item.outcome(of: sso_curl_message_result(message)))
        }
        return hasFinished
    }

    private func end(_ transfer: CurlTransfer, _ outcome: CurlTransfer.Outcome) {
        if let handle = transfer.handle, running.removeValue(forKey: handle) != nil {
            curl_multi_remove_handle(multi, handle)
        }
        transfer.finish(outcome)
    }

    private func shutDown(_ orders: CurlInbox.Orders) {
        inbox.connect(nil)
        for transfer in Array(running.values) + waiting + orders.submitted { end(transfer, .failure(.closed)) }
        curl_multi_cleanup(multi)
    }
}

/// OpenSSL writes with `write`, which raises SIGPIPE when the other end has closed, and libcurl does not prevent that under
/// CURLOPT_NOSIGNAL. On a thread that blocks the signal it is only an error code.
private func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
}

extension Duration {
    /// Whole milliseconds for libcurl, at least one: zero would mean "no limit".
    var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Swift.max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
