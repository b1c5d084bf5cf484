import Foundation

/// chromedriver as a process of its own, controlled by W3C WebDriver over HTTP.
final class WebDriver: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let probe: HTTPProbe

    private static let binary = ["/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A browser to control. Ubuntu's `chromium` installs a snap and does not count.
    static let chromium = ["/usr/bin/chromium", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) && !isSnap($0) }

    /// Whether a browser and its driver are installed: otherwise the browser's journeys are reported as skipped.
    static let isInstalled = binary != nil && chromium != nil

    private static func isSnap(_ path: String) -> Bool {
        guard let start = FileManager.default.contents(atPath: path)?.prefix(4_096) else { return true }
        return String(decoding: start, as: UTF8.self).contains("snap")
            && FileManager.default.fileExists(atPath: "/usr/bin/snap")
    }

    /// Starts the driver on a port that it picks itself and reads the port from its output.
    init() async throws {
        guard let binary = Self.binary else { throw ProbeFailure("chromedriver is not installed") }
        folder = try TemporaryFolder()
        // The browser keeps its profile, caches and sockets in the folder too, so that all of it is deleted.
        let environment = Programs.inherited.merging(["HOME": folder.path, "TMPDIR": folder.path]) { $1 }
        let started = try await Self.start(binary, environment, folder)
        process = started.process
        let port = started.port
        probe = HTTPProbe(port: port, authority: "localhost:\(port)", timeout: .seconds(60))
    }

    /// Starts the driver, and another one when it ends before it has printed its port.
    private static func start(
        _ binary: String, _ environment: [String: String], _ folder: TemporaryFolder
    ) async throws -> (process: ChildProcess, port: UInt16) {
        for attempt in 1...5 {
            let output = "driver-\(attempt).out"
            let process = try ChildProcess(
                binary, ["--port=0"], environment: environment, folder: folder.path,
                standardOutput: folder.path(of: output), standardError: folder.path(of: "driver-\(attempt).err"))
            let port = try await eventually("chromedriver prints its port, or ends", within: TestTimeout.limit) {
                let text = folder.text(of: output)
                let port = text.split(separator: "successfully on port ").dropFirst().last
                    .flatMap { UInt16($0.prefix { $0.isNumber }) }
                return port.map(Optional.some) ?? (process.exit == nil ? nil : .some(nil))
            }
            if let port { return (process, port) }
        }
        throw ProbeFailure("chromedriver ended five times:\n\(folder.text(of: "driver-5.out"))")
    }

    deinit {
        process.send(SIGTERM)
    }

    /// Ends the driver, and with it every browser it still controls.
    func stop() async throws {
        process.send(SIGTERM)
        _ = try await process.waitForExit()
    }

    /// Sends one command and returns its `value`.
    /// - Throws: `ProbeFailure` with the driver's message.
    func command(_ method: String, _ path: String, _ body: JSONValue = .object([:])) async throws -> JSONValue {
        let bytes = method == "POST" ? Array(try JSONEncoder().encode(body)) : nil
        let reply: ProbeReply
        do {
            reply = try await probe.send(
                method, path, [("Content-Type", "application/json; charset=utf-8")], body: bytes)
        } catch {
            let state = process.exit.map { "ended: \($0)" } ?? "runs"
            throw ProbeFailure("\(method) \(path): \(error), and chromedriver \(state)")
        }
        let answer = try JSONDecoder().decode(JSONValue.self, from: Data(reply.body))
        guard reply.status == 200 else {
            let error = answer["value"]?["error"]?.text ?? ""
            throw ProbeFailure("\(method) \(path): \(error): \(answer["value"]?["message"]?.text?.prefix(300) ?? "")")
        }
        return answer["value"] ?? .null
    }
}
