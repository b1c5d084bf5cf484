import Foundation
import SSOShared
import Testing
import WellKnown

@testable import TestKit

/// The program as users and build servers run it.
@Suite("wellknown fetch and statements, the program", .deployment)
struct FetchProgramTests {
    struct Result: Sendable {
        let code: ChildProcess.Exit
        let output, errors: String
    }

    private func run(_ arguments: [String], files: [String: String] = [:]) async throws -> Result {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        // SwiftPM puts all products of a build into one folder.
        let binary = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: binary).deletingLastPathComponent().appendingPathComponent("wellknown").path
        let environment = ProcessInfo.processInfo.environment.filter { $0.key == "PATH" || $0.key.hasPrefix("LD_") }
        let process = try ChildProcess(
            program, arguments, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        let code = try await process.waitForExit()
        return Result(code: code, output: folder.text(of: "out"), errors: folder.text(of: "err"))
    }

    private func arguments(_ house: FetchHouse, _ more: [String] = []) -> [String] {
        [
            "fetch", "127.0.0.1:\(house.site.port)", "--allow-private", "--ca-file",
            house.certificateFile ?? "/dev/null",
            "--time-limit", "60", "--apple-cdn", "http://127.0.0.1:\(house.services?.port ?? 9)/",
            "--google-api", "http://127.0.0.1:\(house.services?.port ?? 9)",
        ] + more
    }

    @Test("A healthy site exits with 0 and a table of responses, a broken site with 1 and its codes")
    func text() async throws {
        let house = try await FetchHouse.open(services: [:])
        let healthy = try await run(arguments(house, ["--all"]))
        #expect(healthy.code == .code(0))
        #expect(healthy.output.contains("as AASA-Bot/1.0.0             200 application/json, "))
        #expect(healthy.output.contains("info cdn.unknown"))
        #expect(healthy.errors.isEmpty)
        let broken = try await FetchHouse.open([
            FetchHouse.aasaPath: SiteServer.Reply(status: 301, headers: ["Location": "https://www.example.test/x"])
        ])
        let result = try await run(arguments(broken, ["--platform", "ios", "--origin-only"]))
        #expect(result.code == .code(1))
        #expect(result.output.contains("error http.redirect"))
    }

    @Test("One JSON object contains the responses and the findings of both files")
    func json() async throws {
        let house = try await FetchHouse.open(services: [
            "/a/v1/127.0.0.1": SiteServer.Reply(
                status: 404, headers: ["Apple-Failure-Reason": "SWCERR00301 Timeout", "Cache-Control": "max-age=1800"])
        ])
        let result = try await run(arguments(house, ["--format", "json"]))
        #expect(result.code == .code(1))
        let root = try #require(JSONReader.read(Array(result.output.utf8)).root)
        let files = try #require(root["files"]?.array)
        #expect(files.map { $0["kind"]?.string } == ["aasa", "assetlinks"])
        let codes = files[0]["findings"]?.array?.compactMap { $0["code"]?.string } ?? []
        #expect(codes.contains("cdn.failure") && codes.contains("cdn.negative-cached"))
        let cdn = files[0]["answers"]?.array?.first { $0["asked"]?.string == "Apple's CDN" }
        #expect(cdn?["headers"]?["apple-failure-reason"]?.string == "SWCERR00301 Timeout")
    }

    @Test("An unreachable site exits with 2, and the services are still queried")
    func unreachable() async throws {
        let house = try await FetchHouse.open(services: [:])
        var words = arguments(house, ["--all"])
        words[1] = "127.0.0.1:\(try FreePort.find())"
        let result = try await run(words)
        #expect(result.code == .code(2))
        #expect(result.output.contains("http.unreachable") && result.output.contains("cdn.unknown"))
    }

    @Test(
        "Arguments without a meaning are wrong usage",
        arguments: [
            ["fetch"], ["fetch", "a b"], ["fetch", "example.com", "--time-limit", "0"],
            ["fetch", "example.com", "--resolve", "x"], ["fetch", "example.com", "--apple-cdn", "ftp://x"],
            ["statements", "list"],
        ])
    func usage(words: [String]) async throws { #expect(try await run(words).code == .code(64)) }

    @Test("statements answers from supplied content, and only an unreadable request is a failure")
    func statements() async throws {
        let content = """
            {"web_content": [{"url": "https://a.example/.well-known/assetlinks.json", "body": "[{\\"relation\\": \
            [\\"x/y\\"], \\"target\\": {\\"namespace\\": \\"web\\", \\"site\\": \\"https://b.example\\"}}]"}]}
            """
        let request = """
            {"source": {"web": {"site": "https://a.example"}}, "relation": "x/y",
             "target": {"web": {"site": "https://B.example.:443"}}}
            """
        let files = ["c.json": content, "r.json": request, "bad.json": "{\"source\": {}}", "none.json": "{"]
        let linked = try await run(["statements", "check", "r.json", "--content", "c.json"], files: files)
        #expect(linked.code == .code(0))
        let answer = try #require(JSONReader.read(Array(linked.output.utf8)).root)
        #expect(answer["outcome"]?.string == "SUCCESS")
        #expect(answer["linked"]?.bool == true)
        let bad = try await run(["statements", "list", "bad.json", "--content", "c.json"], files: files)
        #expect(bad.code == .code(0) && bad.output.contains("QUERY_PARSING_ERROR"))
        let none = try await run(["statements", "list", "none.json", "--content", "c.json"], files: files)
        #expect(none.code == .code(2) && none.errors.contains("none.json:1:2"))
    }
}
