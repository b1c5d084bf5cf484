import Foundation
import Glibc

/// A program under measurement: started, looked at through /proc, stopped.
final class ServerUnderTest {
    private let process = Process()
    let port: UInt16
    /// From the start of the process to its first answer, in seconds.
    private(set) var startUp = 0.0

    /// - Parameter log: where its standard output and error go.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], folder: String, port: UInt16,
        log: String
    )
        throws
    {
        self.port = port
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key == "PATH" || $0.key.hasPrefix("LD_") }
        process.environment = inherited.merging(["SHUTDOWN_GRACE": "0s"]) { $1 }.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        guard FileManager.default.createFile(atPath: log, contents: nil), let handle = FileHandle(forWritingAtPath: log)
        else {
            throw BenchFault("cannot write \(log)")
        }
        process.standardError = handle
        process.standardOutput = handle
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts it and waits for the first 200 from `path`.
    func start(until path: String) throws {
        let begin = LoadLoop.now()
        try process.run()
        while true {
            if let connection = try? WireConnection(port: port, index: 0),
                let status = try? connection.exchange(
                    Array("GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
                ).status,
                status == 200
            {
                break
            }
            guard process.isRunning, LoadLoop.now() - begin < 20_000_000_000 else {
                throw BenchFault("\(process.executableURL?.lastPathComponent ?? "") does not answer at \(path)")
            }
            usleep(500)
        }
        startUp = Double(LoadLoop.now() - begin) / 1e9
    }

    func stop() throws {
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFault("ended with \(process.terminationStatus)") }
    }

    /// Resident memory in MiB.
    var residentMemory: Double { (status("VmRSS:") ?? 0) / 1_024 }

    /// Seconds of processor time used so far, user and system.
    var processorTime: Double {
        guard let text = read("stat"), let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func status(_ name: String) -> Double? {
        read("status")?.split(separator: "\n").first { $0.hasPrefix(name) }
            .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }.flatMap { Double($0) }
    }

    private func read(_ name: String) -> String? {
        try? String(contentsOfFile: "/proc/\(process.processIdentifier)/\(name)", encoding: .utf8)
    }

    /// A port that nobody listens on.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard status == 0 else { throw BenchFault("no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
