import Dispatch
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Writes lines to a descriptor, in their order, and never lets a request wait for it.
///
/// Logging only adds a line to a bounded queue. An event loop writes the lines of one round at its end, in one go, where that
/// cannot block: waking a thread for each line costs more than the line. Everything else is written by a thread, so a log reader
/// that stops (a full pipe, a hung log shipper) blocks only that. When the queue is full, lines are dropped and counted. The
/// count is written when the reader continues.
final class LogWriter: Sendable {
    /// The queue to standard error.
    static let standardError = LogWriter(descriptor: 2)

    /// Who writes what waits.
    private enum Writer {
        case nobody
        /// An event loop, at the end of its round.
        case loopIsDue
        /// An event loop or the thread, now.
        case isAwake
    }

    private struct Queue {
        /// What an event loop could not write.
        var pieces: [[UInt8]] = []
        var lines: [String] = []
        var bytes = 0
        var dropped = 0
        var writer = Writer.nobody
        var hasThread = false
        /// Signalled when everything is written.
        var waiting: [DispatchSemaphore] = []
        var droppedLine: @Sendable (Int) -> String = { "log_lines_dropped count=\($0)\n" }
    }

    /// `PIPE_BUF` of Linux, which Swift does not import.
    private static let wholeBytes = 4_096

    private let descriptor: Int32
    private let direct: DirectWriting
    private let capacity: Int
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameter capacity: the maximum number of queued bytes. The default holds some thousand lines.
    init(descriptor: Int32, capacity: Int = 1 << 20) {
        (self.descriptor, self.capacity) = (descriptor, capacity)
        direct = DirectWriting(descriptor)
    }

    /// Sets the form of the line that reports dropped lines.
    func reportDropped(by line: @escaping @Sendable (Int) -> String) { queue.withLock { $0.droppedLine = line } }

    /// Queues a line, including its end. Never waits.
    func append(_ line: String) {
        let loop = direct == .impossible ? nil : MultiThreadedEventLoopGroup.currentEventLoop
        let isFirst = queue.withLock { queue in
            guard queue.bytes + line.utf8.count <= capacity else {
                queue.dropped += 1
                return false
            }
            queue.lines.append(line)
            queue.bytes += line.utf8.count
            // A thread without a loop does not wait for that of another, which may hang.
            guard queue.writer == .nobody || queue.writer == .loopIsDue && loop == nil else { return false }
            queue.writer = loop == nil ? .isAwake : .loopIsDue
            return true
        }
        guard isFirst else { return }
        if let loop { loop.execute { [self] in writeOnLoop() } } else { wakeThread() }
    }

    /// Waits until all queued lines are written, at most `limit`.
    func flush(within limit: DispatchTimeInterval = .seconds(1)) {
        let written = DispatchSemaphore(value: 0)
        let before = queue.withLock { queue in
            let before = queue.writer
            // The loop may have ended.
            if before == .loopIsDue { queue.writer = .isAwake }
            if before != .nobody { queue.waiting.append(written) }
            return before
        }
        if before == .loopIsDue { wakeThread() }
        if before != .nobody { _ = written.wait(timeout: .now() + limit) }
    }

    /// Writes what waits on the thread of an event loop, and leaves to the thread what could block.
    private func writeOnLoop() {
        let isDue = queue.withLock { queue in
            guard queue.writer == .loopIsDue else { return false }
            queue.writer = .isAwake
            return true
        }
        guard isDue else { return }
        while let pieces = take() {
            for (index, piece) in pieces.enumerated() {
                let count = piece.count > Self.wholeBytes ? 0 : direct.write(piece, to: descriptor)
                guard count < piece.count else { continue }
                let rest = [Array(piece.dropFirst(count))] + pieces[(index + 1)...]
                queue.withLock { queue in
                    queue.pieces = rest
                    queue.bytes += rest.reduce(0) { $0 + $1.count }
                }
                return wakeThread()
            }
        }
    }

    private func wakeThread() {
        let isFirst = queue.withLock { queue in
            defer { queue.hasThread = true }
            return !queue.hasThread
        }
        if isFirst { startThread() }
        wake.signal()
    }

    private func startThread() {
        let thread = Thread { [self] in
            while true {
                wake.wait()
                while let pieces = take() { pieces.forEach(write) }
            }
        }
        thread.name = "log"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// All queued lines, or nil when there are none. Lines are dropped only while the queue is full, so the count of
    /// dropped lines comes last.
    private func take() -> [[UInt8]]? {
        queue.withLock { queue in
            guard !queue.lines.isEmpty || !queue.pieces.isEmpty else {
                queue.writer = .nobody
                for semaphore in queue.waiting { semaphore.signal() }
                queue.waiting = []
                return nil
            }
            if queue.dropped > 0 { queue.lines.append(queue.droppedLine(queue.dropped)) }
            defer { (queue.pieces, queue.lines, queue.bytes, queue.dropped) = ([], [], 0, 0) }
            return queue.pieces + Self.pieces(of: queue.lines)
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

/// How a thread that must not wait can write to a descriptor.
private enum DirectWriting: Equatable {
    /// Not at all: a file may lie on a disk that hangs, and a terminal may be stopped.
    case impossible
    case socket
    case pipe

    /// `F_GETPIPE_SZ` of Linux, which Swift does not import.
    private static let pipeSize: Int32 = 1032

    init(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            self = .impossible
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFSOCK: self = .socket
        case S_IFIFO: self = .pipe
        default: self = .impossible
        }
    }

    /// Writes what can be written now, and returns how many bytes that were.
    func write(_ piece: [UInt8], to descriptor: Int32) -> Int {
        switch self {
        case .impossible: return 0
        case .socket: return max(0, send(descriptor, piece, piece.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)))
        case .pipe:
            // The reader may have made it smaller.
            let capacity = Int(fcntl(descriptor, Self.pipeSize))
            // A page of a pipe may stay half empty, so half of its bytes always fit. A reader that stops leaves it full, long before
            // another process could fill it between this look and the writing.
            var waiting: Int32 = 0
            guard ioctl(descriptor, UInt(FIONREAD), &waiting) == 0, capacity >= 8_192,
                (Int(waiting) + piece.count) * 2 <= capacity
            else {
                return 0
            }
            return max(0, Foundation.write(descriptor, piece, piece.count))
        }
    }
}
