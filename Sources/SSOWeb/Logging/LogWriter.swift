import Dispatch
import Foundation
import Synchronization

/// Writes lines to a descriptor on its own thread.
///
/// Logging only adds a line to a bounded queue, so a log reader that stops (a full pipe, a hung log shipper) blocks
/// only this thread. When the queue is full, lines are dropped and counted. The count is written when the reader
/// continues.
final class LogWriter: Sendable {
    /// The queue to standard error.
    static let standardError = LogWriter(descriptor: 2)

    private struct Queue {
        var lines: [String] = []
        var bytes = 0
        var dropped = 0
        /// Whether the thread is writing or has been signalled.
        var isAwake = false
        var hasThread = false
        /// Signalled when everything is written.
        var waiting: [DispatchSemaphore] = []
        var droppedLine: @Sendable (Int) -> String = { "log_lines_dropped count=\($0)\n" }
    }

    /// `PIPE_BUF` of Linux, which Swift does not import.
    private static let wholeBytes = 4_096

    private let descriptor: Int32
    private let capacity: Int
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameter capacity: the maximum number of queued bytes. The default holds some thousand lines.
    init(descriptor: Int32, capacity: Int = 1 << 20) {
        (self.descriptor, self.capacity) = (descriptor, capacity)
    }

    /// Sets the form of the line that reports dropped lines.
    func reportDropped(by line: @escaping @Sendable (Int) -> String) { queue.withLock { $0.droppedLine = line } }

    /// Queues a line, including its end. Never waits.
    func append(_ line: String) {
        let (needsSignal, needsThread) = queue.withLock { queue in
            guard queue.bytes + line.utf8.count <= capacity else {
                queue.dropped += 1
                return (false, false)
            }
            queue.lines.append(line)
            queue.bytes += line.utf8.count
            defer { (queue.isAwake, queue.hasThread) = (true, true) }
            return (!queue.isAwake, !queue.hasThread)
        }
        if needsThread { startThread() }
        if needsSignal { wake.signal() }
    }

    /// Waits until all queued lines are written, at most `limit`.
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
                wake.wait()
                while let batch = take() { Self.pieces(of: batch).forEach(write) }
            }
        }
        thread.name = "log"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// All queued lines, or nil when there are none. Lines are dropped only while the queue is full, so the count of
    /// dropped lines comes last.
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

    /// The lines in as few pieces as the system keeps whole: up to `PIPE_BUF` bytes of one write do not mix with those of
    /// another process on the same pipe (pipe(7)). A longer line is a piece of its own.
    static func pieces(of lines: [String]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        for line in lines {
            if let last = pieces.last, last.count + line.utf8.count <= wholeBytes {
                pieces[pieces.count - 1] += line.utf8
            } else {
                pieces.append(Array(line.utf8))
            }
        }
        return pieces
    }

    /// Writes a piece. Ignores errors: a full disk or a closed pipe must not end the program.
    private func write(_ piece: [UInt8]) {
        var rest = piece[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process has made the shared terminal or pipe non-blocking.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Foundation.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
