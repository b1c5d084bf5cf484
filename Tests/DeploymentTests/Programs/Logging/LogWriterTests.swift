import Foundation
import Logging
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// A log reader that stops does not block the program.
@Suite("A log whose reader stops", .deployment)
struct LogWriterTests {
    /// A pipe that the test reads when it wants.
    private final class Pipe {
        let (reading, writing): (Int32, Int32)

        init() throws {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw ProbeFailure("no pipe: errno \(errno)") }
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// Reads until a line with this prefix.
        func lines(until prefix: String) throws -> [String] {
            var text = ""
            while !text.split(separator: "\n").contains(where: { $0.hasPrefix(prefix) }) || !text.hasSuffix("\n") {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { throw ProbeFailure("the pipe ended: errno \(errno)") }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            return text.split(separator: "\n").map(String.init)
        }
    }

    @Test("lines come in order, and flush waits for the last")
    func order() throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.writing)
        for number in 1...500 { writer.append("line \(number)\n") }
        writer.flush()
        writer.append("end\n")
        #expect(try pipe.lines(until: "end") == (1...500).map { "line \($0)" } + ["end"])
    }

    @Test("lines share a write of at most PIPE_BUF bytes, which no other process interrupts; a longer one has its own")
    func pieces() {
        func line(_ count: Int) -> String { String(repeating: "é", count: (count - 1) / 2) + "\n" }
        let lines = [line(2_001), line(2_095), line(1), line(9_001), line(3)]
        let pieces = LogWriter.pieces(of: lines)
        #expect(pieces.map(\.count) == [4_096, 1, 9_001, 3])
        #expect(pieces.joined().elementsEqual(lines.joined().utf8))
        #expect(LogWriter.pieces(of: []).isEmpty)
    }

    @Test(
        "over the limit lines are dropped and counted without waiting, and the count follows when the reader continues")
    func dropped() throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.writing, capacity: 10_000)
        writer.reportDropped { "dropped \($0)\n" }
        let line = String(repeating: "a", count: 99) + "\n"
        // More than the pipe (64 KiB) and the queue hold together.
        let sent = 2_000
        for _ in 1...sent { writer.append(line) }
        let begin = ContinuousClock.now
        writer.flush(within: .milliseconds(100))
        #expect(ContinuousClock.now - begin < .seconds(30))
        let lines = try pipe.lines(until: "dropped")
        let kept = lines.count { $0.hasPrefix("a") }
        let reported = lines.compactMap { $0.hasPrefix("dropped ") ? Int($0.dropFirst(8)) : nil }
        #expect(!reported.isEmpty)
        // Later ones may have been dropped after this count was taken; none is lost without being counted. What is left fits into
        // the pipe, and then there is room for the last line.
        writer.flush(within: .seconds(600))
        writer.append("end\n")
        let rest = try pipe.lines(until: "end")
        let all = reported + rest.compactMap { $0.hasPrefix("dropped ") ? Int($0.dropFirst(8)) : nil }
        #expect(kept + rest.count { $0.hasPrefix("a") } + all.reduce(0, +) == sent)
    }

    @Test("a closed reader loses the lines only")
    func closedReader() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        let writer = LogWriter(descriptor: ends[1])
        for _ in 1...10 { writer.append("line\n") }
        let begin = ContinuousClock.now
        writer.flush(within: .seconds(60))
        #expect(ContinuousClock.now - begin < .seconds(30))
        close(ends[1])
    }

    @Test("both programs serve and stop while their log is not read", arguments: ["idp", "relying-party"])
    func program(name: String) async throws {
        let settings = ["LOG_LEVEL": "trace", "LOG_FORMAT": "json"]
        let pair = try ProcessDeployment(settings: settings, clientSettings: settings)
        let original = name == "idp" ? pair.idp : pair.client.process
        let folder = try TemporaryFolder()
        let fifo = folder.path(of: "log")
        try #require(mkfifo(fifo, 0o600) == 0)
        // Both ends, so that the child's own opening does not wait for a reader.
        let reader = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let child = try ChildProcess(
            Programs.path(of: name), ["serve"], environment: original.settings, folder: folder.path,
            standardOutput: "/dev/null", standardError: fifo)
        let probe = HTTPProbe(host: original.host, port: original.port, timeout: .seconds(30))
        try await eventually("\(name) is ready") { (try? await probe.get("/readyz"))?.status == 200 ? () : nil }
        // Far more than the pipe (64 KiB) and the queue (1 MiB) hold.
        let count = try await onOwnThread {
            var (connection, answers) = (try probe.connect(), 0)
            for _ in 1...4_000 {
                try connection.send(probe.request("GET", "/nowhere", close: false))
                let reply = try connection.reply()
                if reply.status == 404 { answers += 1 }
                if reply.header("connection") == "close" { connection = try probe.connect() }
            }
            return answers
        }
        #expect(count == 4_000)
        #expect(try await probe.get("/healthz").status == 200)
        // The reader continues and gets the count of dropped lines.
        var text = ""
        try await eventually("the number of dropped lines comes", every: .milliseconds(1)) { () -> Void? in
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            let count = read(reader, &buffer, buffer.count)
            if count > 0 { text += String(decoding: buffer.prefix(count), as: UTF8.self) }
            return text.contains(#""event":"log_lines_dropped""#) ? () : nil
        }
        // The reader stops again.
        for _ in 1...400 { #expect(try await probe.get("/nowhere").status == 404) }
        let begin = ContinuousClock.now
        child.send(SIGTERM)
        #expect(try await child.waitForExit() == .code(0))
        #expect(ContinuousClock.now - begin < .seconds(12))
    }
}

/// Priorities for the systemd journal (sd-daemon(3), systemd.exec(5)).
@Suite("A log in the journal", .deployment)
struct JournalStreamTests {
    private func line(_ level: Logger.Level, _ format: EventLogHandler.Format) -> String {
        EventLogHandler(label: "idp", format: format, hasPriorities: true).line(
            for: LogEvent(
                level: level, message: "token_redeemed", metadata: nil, source: nil, file: #fileID, function: #function,
                line: #line))
    }

    @Test("each level has its priority, in text and in JSON")
    func priorities() {
        let expected: [(Logger.Level, String)] = [
            (.trace, "<7>"), (.debug, "<7>"), (.info, "<6>"), (.notice, "<5>"), (.warning, "<4>"), (.error, "<3>"),
            (.critical, "<2>"),
        ]
        for (level, prefix) in expected {
            #expect(line(level, .text).hasPrefix(prefix + "2"))
            #expect(line(level, .json).hasPrefix(prefix + "{"))
        }
    }

    @Test("JOURNAL_STREAM counts only when it names the descriptor")
    func descriptor() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "log")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let name = try Self.name(of: path)
        #expect(JournalStream.isConnected(to: file, name))
        for other in [nil, "", "1:2", name + "0", name + ":", " " + name] {
            #expect(!JournalStream.isConnected(to: file, other), "\(other ?? "-")")
        }
        #expect(!JournalStream.isConnected(to: -1, name))
    }

    @Test("a program whose standard error is the journal prefixes every line; a redirected one does not")
    func program() async throws {
        let folder = try TemporaryFolder()
        for isJournal in [true, false] {
            let path = try folder.write("", to: "log-\(isJournal)")
            let name = isJournal ? try Self.name(of: path) : "1:1"
            // Without settings it does not start and logs one line for each.
            let child = try ChildProcess(
                Programs.path(of: "idp"), ["serve"],
                environment: Programs.inherited.merging(["JOURNAL_STREAM": name]) { $1 }, folder: folder.path,
                standardOutput: "/dev/null", standardError: path)
            _ = try await child.waitForExit()
            let lines = folder.text(of: "log-\(isJournal)").split(separator: "\n")
            #expect(lines.count >= 2)
            for line in lines { #expect(line.hasPrefix("<") == isJournal, "\(line)") }
            #expect(lines.contains { $0.hasPrefix("<3>") } == isJournal)
        }
    }

    private static func name(of path: String) throws -> String {
        let file = try FileManager.default.attributesOfItem(atPath: path)
        let (device, inode) = (file[.systemNumber] as? Int, file[.systemFileNumber] as? Int)
        return "\(try #require(device)):\(try #require(inode))"
    }
}
