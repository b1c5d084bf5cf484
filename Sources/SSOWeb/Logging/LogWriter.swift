import Dispatch
import Foundation
import Synchronization

/// Writes lines to a descriptor in a thread of its own.
///
/// Whoever logs only puts a line into a bounded queue. A reader of the log that stops reading (a full pipe, a hung log
/// shipper) therefore holds up nothing but this thread. Lines that find the queue full are dropped and counted; the
/// count is written as soon as the reader reads again.
final class LogWriter: Sendable {
    /// The one queue to standard error.
    static let standardError = LogWriter(descriptor: 2)

    private struct Queue {
        var lines: [String] = []
        var bytes = 0
        var dropped = 0
        /// Whether the thread works, or has been called.
        var isAwake = false
        var hasThread = false
        /// Who waits until everything is written.
        var waiting: [DispatchSemaphore] = []
        var droppedLine: @Sendable (Int) -> String = { "log_lines_dropped count=\($0)\n" }
    }

    private let descriptor: Int32
    private let capacity: Int
    private let queue = Mutex(Queue())
    private let call = DispatchSemaphore(value: 0)

    /// - Parameter capacity: how many bytes may wait: some thousand lines.
    init(descriptor: Int32, capacity: Int = 1 << 20) {
        (self.descriptor, self.capacity) = (descriptor, capacity)
    }

    /// Sets the form of the line that reports dropped lines.
    func reportDropped(by line: @escaping @Sendable (Int) -> String) { queue.withLock { $0.droppedLine = line } }

    /// Queues a line, its end included. Never waits.
    func append(_ line: String) {
        let (isCallDue, isThreadDue) = queue.withLock { queue in
            guard queue.bytes + line.utf8.count <= capacity else {
                queue.dropped += 1
                return (false, false)
            }
            queue.lines.append(line)
            queue.bytes += line.utf8.count
            defer { (queue.isAwake, queue.hasThread) = (true, true) }
            return (!queue.isAwake, !queue.hasThread)
        }
        if isThreadDue { startThread() }
        if isCallDue { call.signal() }
    }

    /// Waits until everything queued is written, at most so long: for the end of the program.
    func flush(within limit: DispatchTimeInterval = .seconds(1)) {
        let written = DispatchSemaphore(value: 0)
        let isDue = queue.withLock { queue in
            guard queue.isAwake else { return false }
            queue.waiting.append(written)
            return true
        }
        if isDue { _ = written.wait(timeout: .now() + limit) }
    }

    private func startThread() {
        let thread = Thread { [self] in
            while true {
                call.wait()
                while let batch = take() { batch.forEach(write) }
            }
        }
        thread.name = "log"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// All that waits, or nil when nothing does. Lines are dropped only while the queue is full, so their count belongs
    /// after the lines taken with it.
    private func take() -> [String]? {
        queue.withLock { queue in
            guard !queue.lines.isEmpty else {
                queue.isAwake = false
                for semaphore in queue.waiting { semaphore.signal() }
                queue.waiting = []
                return nil
            }
            var batch = queue.lines
            if queue.dropped > 0 { batch.append(queue.droppedLine(queue.dropped)) }
            (queue.lines, queue.bytes, queue.dropped) = ([], 0, 0)
            return batch
        }
    }

    /// One call per line, so that the lines of two processes on one pipe do not mix. What cannot be written is lost: a
    /// full disk or a closed pipe must not end a program that signs people in.
    private func write(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process has made the shared end of a terminal or pipe non-blocking.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Foundation.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
