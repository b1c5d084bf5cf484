import CCurl
import Foundation

/// Drives all transfers of one transport on one thread of its own: no thread of an event loop or of Swift's pool ever
/// waits for the network, and two hundred hung calls cost as many as one.
///
/// Everything here belongs to that thread; other threads leave orders in the ``CurlInbox``.
final class CurlDriver {
    private let settings: CurlSettings
    private let inbox: CurlInbox
    private let multi: UnsafeMutableRawPointer
    private let clock = ContinuousClock()

    private struct Running {
        let transfer: CurlTransfer
        let handle: CurlHandle
        let headers: UnsafeMutablePointer<curl_slist>?
    }
    private var waiting: [CurlTransfer] = []
    private var running: [UnsafeMutableRawPointer: Running] = [:]
    /// Handles at rest. Connections do not live in them but in the multi handle, and so serve whoever comes next.
    private var idle: [CurlHandle] = []

    /// Starts the thread. It ends after ``CurlInbox/close()``.
    static func start(settings: CurlSettings, inbox: CurlInbox) throws(BackChannelSetupFault) {
        guard isCurlReady, let multi = curl_multi_init() else { throw .curl }
        _ = sso_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, settings.limits.concurrentCalls))
        inbox.connect(multi)
        nonisolated(unsafe) let owned = multi
        let thread = Thread {
            // Set from within, where it reaches the kernel; fifteen characters are the most.
            Thread.current.name = "sso-backchannel"
            ignoreSignals()
            CurlDriver(settings: settings, inbox: inbox, multi: owned).run()
        }
        thread.start()
    }

    private static let isCurlReady = sso_curl_global_init() == CURLE_OK

    private init(settings: CurlSettings, inbox: CurlInbox, multi: UnsafeMutableRawPointer) {
        self.settings = settings
        self.inbox = inbox
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
            // A finished call leaves its place to the next in line before anybody sleeps.
            if collectFinished(), !waiting.isEmpty { continue }
            curl_multi_poll(multi, nil, 0, Int32(clamping: nap.curlMilliseconds), nil)
        }
    }

    private func accept(_ orders: CurlInbox.Orders) {
        for transfer in orders.submitted {
            if waiting.count < settings.limits.waitingCalls + freePlaces {
                waiting.append(transfer)
            } else {
                transfer.finish(.failure(.busy))
            }
        }
        guard !orders.cancelled.isEmpty else { return }
        for transfer in waiting where orders.cancelled.contains(transfer.id) { transfer.finish(.failure(.cancelled)) }
        waiting.removeAll { orders.cancelled.contains($0.id) }
        for item in running.values where orders.cancelled.contains(item.transfer.id) {
            end(item, .failure(.cancelled))
        }
    }

    private var freePlaces: Int { max(0, max(1, settings.limits.concurrentCalls) - running.count) }

    private func startWaiting() {
        let now = clock.now
        while freePlaces > 0, !waiting.isEmpty { start(waiting.removeFirst(), now) }
        waiting.removeAll { transfer in
            guard now - transfer.asked >= settings.limits.queue else { return false }
            transfer.finish(.failure(.busy))
            return true
        }
    }

    private func start(_ transfer: CurlTransfer, _ now: ContinuousClock.Instant) {
        // curl_slist_append answers nil when out of memory and leaves the list as it was.
        var headers: UnsafeMutablePointer<curl_slist>?
        var isComplete = true
        for line in transfer.request.headers {
            if let longer = curl_slist_append(headers, line) { headers = longer } else { isComplete = false }
        }
        let remaining = settings.limits.call - (now - transfer.asked)
        guard isComplete, let handle = idle.popLast() ?? CurlHandle() else {
            curl_slist_free_all(headers)
            return transfer.finish(.failure(.broken("out of memory")))
        }
        guard remaining > .zero,
            handle.prepare(transfer, settings: settings, headers: headers, remaining: remaining),
            curl_multi_add_handle(multi, handle.raw) == CURLM_OK
        else {
            curl_slist_free_all(headers)
            handle.close()
            return transfer.finish(.failure(remaining > .zero ? .broken("curl refused an option") : .timedOut))
        }
        running[handle.raw] = Running(transfer: transfer, handle: handle, headers: headers)
    }

    /// Ends what curl says is over. True when there was any.
    private func collectFinished() -> Bool {
        var hasFinished = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let item = running[message.pointee.easy_handle] else { continue }
            let code = sso_curl_message_result(message)
            hasFinished = true
            end(item, item.transfer.outcome(of: code, status: item.handle.status))
        }
        return hasFinished
    }

    private func end(_ item: Running, _ outcome: CurlTransfer.Outcome) {
        running[item.handle.raw] = nil
        curl_multi_remove_handle(multi, item.handle.raw)
        curl_slist_free_all(item.headers)
        if idle.count < settings.limits.concurrentCalls {
            // The handle must not keep pointers to a transfer that is about to go.
            curl_easy_reset(item.handle.raw)
            idle.append(item.handle)
        } else {
            item.handle.close()
        }
        item.transfer.finish(outcome)
    }

    /// Until the first in line loses patience; curl itself sees to the limits of what is running.
    private var nap: Duration {
        guard let first = waiting.first else { return .seconds(60) }
        return settings.limits.queue - (clock.now - first.asked)
    }

    private func shutDown(_ orders: CurlInbox.Orders) {
        let late = inbox.connect(nil)
        for item in running.values { end(item, .failure(.closed)) }
        for transfer in waiting + orders.submitted + late.submitted { transfer.finish(.failure(.closed)) }
        for handle in idle { handle.close() }
        curl_multi_cleanup(multi)
    }
}

/// OpenSSL writes with `write`, which raises SIGPIPE when the other end has gone, and curl leaves it alone under
/// CURLOPT_NOSIGNAL: on a thread that blocks it, it is only an error code. The others belong to the main program
/// anyway.
private func ignoreSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
}
