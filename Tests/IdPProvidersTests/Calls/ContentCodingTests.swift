import Foundation
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Compressed answers of providers", .rules)
struct ContentCodingTests {
    private static let text = #"{"issuer":"https://op.example"}"#

    @Test(
        "gzip and deflate are undone in every legal spelling",
        arguments: [
            (["gzip"], PackedBody.gzip(text)), (["GZIP"], PackedBody.gzip(text)), (["x-gzip"], PackedBody.gzip(text)),
            (["deflate"], PackedBody.zlib(text)), (["deflate"], PackedBody.deflate(text)),
            (["identity, gzip"], PackedBody.gzip(text)), (["gzip", "identity"], PackedBody.gzip(text)),
            ([" gzip\t,"], PackedBody.gzip(text)), ([], Array(text.utf8)), (["identity"], Array(text.utf8)),
            ([""], Array(text.utf8)),
            (["gzip"], PackedBody.gzip("{\"issuer\":") + PackedBody.gzip("\"https://op.example\"}")),
        ] as [([String], [UInt8])])
    func read(_ values: [String], _ body: [UInt8]) throws {
        #expect(try ContentCoding.decode(body, values, limit: 1000) == Array(Self.text.utf8))
    }

    @Test(
        "another coding, two codings and damaged bytes are refused",
        arguments: [
            (["br"], PackedBody.gzip(text), ContentCoding.CodingError.unknown),
            (["gzip, gzip"], PackedBody.gzip(text), .unknown), (["gzip", "deflate"], PackedBody.gzip(text), .unknown),
            (["gzipped"], PackedBody.gzip(text), .unknown), (["gzip"], Array(text.utf8), .malformed),
            (["gzip"], PackedBody.zlib(text), .malformed), (["gzip"], [], .malformed), (["deflate"], [], .malformed),
            (["gzip"], Array(PackedBody.gzip(text).dropLast()), .malformed),
            (["deflate"], Array(text.utf8), .malformed),
            (["gzip"], PackedBody.gzip(text).map { $0 == 0x68 ? 0x69 : $0 }, .malformed),
        ] as [([String], [UInt8], ContentCoding.CodingError)])
    func refused(_ values: [String], _ body: [UInt8], _ error: ContentCoding.CodingError) {
        #expect(throws: error) { try ContentCoding.decode(body, values, limit: 1000) }
    }

    @Test("what is longer than the limit is never unpacked")
    func bomb() throws {
        // 300 KiB of spaces.
        let bomb = try #require(Data(base64Encoded: Self.bomb)).map(\.self)
        #expect(bomb.count < 400)
        #expect(try ContentCoding.decode(bomb, ["gzip"], limit: 300 << 10).count == 300 << 10)
        #expect(throws: ContentCoding.CodingError.tooLarge) {
            try ContentCoding.decode(bomb, ["gzip"], limit: (300 << 10) - 1)
        }
    }

    private static let bomb =
        "H4sIAAAAAAACA+3BAQ0AAADCoCrvn9IcbkAB" + String(repeating: "A", count: 394) + "DAnwFZZ/RiALAEAA=="

    @Test("every document of a provider may be compressed, although none is asked for")
    func everywhere() async throws {
        let fixture = try OpenIDFixture()
        let body = try StandInJSON.text(["id_token": .string(fixture.token().text())])
        for (url, text) in [
            (fixture.discoveryURL, try StandInJSON.text(.object(fixture.discovery))),
            (fixture.keysURL, try StandInJSON.text(["keys": .array(fixture.keys.all.map { .object($0.jwk) })])),
            (fixture.tokenURL, body),
        ] { fixture.transport.on(url) { _ in .success(Self.response(PackedBody.gzip(text), "gzip")) } }
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).subject == "248289761001")
        #expect(fixture.transport.requests.count == 3)
        #expect(fixture.transport.requests.allSatisfy { $0.headers.contains("Accept-Encoding: identity") })
    }

    @Test(
        "a coding that cannot be undone and a bomb have their reason on each call",
        arguments: [
            ("br", "{}", "content_encoding", "br"), ("gzip", "{}", "content_encoding", "gzip, damaged"),
            ("br, gzip", "{}", "content_encoding", "br, gzip"), ("gzip", nil, "too_large", "bytes, as gzip less"),
        ] as [(String, String?, String, String)])
    func reasons(_ coding: String, _ text: String?, _ reason: String, _ detail: String) async throws {
        let bomb = try #require(Data(base64Encoded: Self.bomb)).map(\.self)
        for url in [\OpenIDFixture.discoveryURL, \.keysURL, \.tokenURL] {
            let fixture = try OpenIDFixture()
            let body = text.map { Array($0.utf8) } ?? bomb
            fixture.transport.on(fixture[keyPath: url]) { _ in .success(Self.response(body, coding)) }
            if url != \.tokenURL {
                fixture.transport.on(
                    fixture.tokenURL, try StandInJSON.text(["id_token": .string(fixture.token().text())]))
            }
            do {
                _ = try await fixture.client.identity(fixture.provider, fixture.answer)
                Issue.record("an answer in \(coding) was read")
            } catch {
                #expect(error.reason.hasSuffix("_\(reason)") && error.detail.hasSuffix(detail), "\(error)")
                #expect(error.meaning == .fault)
            }
        }
    }

    private static func response(_ body: [UInt8], _ coding: String) -> HTTPClient.Response {
        HTTPClient.Response(
            status: 200, headers: [("content-type", "application/json"), ("content-encoding", coding)], body: body)
    }
}
