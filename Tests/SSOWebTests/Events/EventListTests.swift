import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The events of both programs", .rules)
struct EventListTests {
    private static let sources = TestVectors.repository.appending(path: "Sources")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    }

    @Test("each kind is in the list of its file, once, and says what it means")
    func lists() throws {
        let lists = [("WebEvents", WebEvents.all), ("StorageEvents", StorageEvents.all)]
        for (file, kinds) in lists {
            let made = try Self.text("SSOWeb/Events/\(file).swift").matches(of: #/EventKind\(\s*"([a-z_]+)"/#)
            #expect(made.map { String($0.1) }.sorted() == kinds.map(\.id).sorted(), "\(file)")
            for kind in kinds { #expect(!kind.help.isEmpty && !kind.help.contains("\n"), "\(kind.id)") }
        }
        let ids = lists.flatMap { $0.1.map(\.id) }
        #expect(Set(ids).count == ids.count)
    }

    @Test("every line of storage is a kind, with the level that the code names, and no other kind is storage's")
    func storage() throws {
        var found: Set<String> = []
        for folder in ["Storage", "SQLiteStorage", "PostgresStorage", "StorageEngines"] {
            let names = try FileManager.default.subpathsOfDirectory(
                atPath: Self.sources.appending(path: folder).path(percentEncoded: false))
            for name in names where name.hasSuffix(".swift") {
                let text = try Self.text("\(folder)/\(name)")
                #expect(text.matches(of: #/logger\.\w+\(/#).count == text.matches(of: Self.call).count, "\(name)")
                for call in text.matches(of: Self.call) {
                    let kind = try #require(StorageEvents.all.first { $0.id == call.2 }, "\(call.2)")
                    if call.1 != "log" { #expect(kind.level?.rawValue == String(call.1), "\(kind.id)") }
                    found.insert(kind.id)
                }
            }
        }
        #expect(found == Set(StorageEvents.all.map(\.id)))
    }

    private static var call: Regex<(Substring, Substring, Substring)> {
        #/logger\.(\w+)\(\s*(?:level:[^"]*)?"([a-z_]+)"/#
    }

    @Test("refusals and failures that every page can have are counted by their codes")
    func codes() {
        func request(_ headers: HTTPFields) -> Request {
            Request(
                head: .init(method: .post, scheme: nil, authority: "127.0.0.1", path: "/", headerFields: headers),
                body: .init(buffer: .init()))
        }
        let (bare, withCookie) = (request([:]), request([.cookie: "a=b"]))
        let stale: [PublicError] = [
            .staleForm(bare, from: .otherSite("x"), .home), .staleForm(bare, from: .ownPage, .home),
            .staleForm(withCookie, from: .hidden, .home), .staleForm(withCookie, from: .ownPage, .home),
        ]
        let refused = stale + [.notFound, .tooLarge, .tooManyRequests(retryAfter: .seconds(1)), .signInRequired("/")]
        for error in refused { #expect(RequestCode.refused.contains(error.code), "\(error.code)") }
        let failed: [PublicError] = [.unavailable("x")]
        for error in failed { #expect(RequestCode.failed.contains(error.code), "\(error.code)") }
        #expect(Set(RequestCode.refused).count == RequestCode.refused.count)
    }

    @Test(
        "what a page does not show is in the line of its refusal: status, code and cause; the code where there is no cause"
    )
    func line() {
        let refused = Event(.requestRefused, cause: "method", ["status": .number(405), "code": "invalid_request"])
        #expect(refused.metadata == ["cause": "method", "status": .number(405), "code": "invalid_request"])
        #expect(refused.lineLevel == .notice && Event(.requestFailed).lineLevel == .error)
        #expect(Event(.setting, level: .notice).lineLevel == .notice)
    }
}
