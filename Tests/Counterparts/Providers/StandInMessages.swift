import Foundation

@testable import TestKit
@testable import WebTestKit

extension BackChannelStub.Answer {
    static func json(_ text: String, status: String = "200 OK", headers: [String] = []) -> Self {
        .bytes(BackChannelFixture.http(status, ["Content-Type: application/json"] + headers, Array(text.utf8)))
    }

    /// A page with the given content in HTML.
    static func page(_ title: String, _ content: String, status: String = "200 OK") -> Self {
        let text = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
            <body>\(content)</body></html>
            """
        return .bytes(
            BackChannelFixture.http(
                status, ["Content-Type: text/html; charset=utf-8", "Cache-Control: no-store"], Array(text.utf8)))
    }

    static func redirect(to address: String, status: String = "303 See Other") -> Self {
        .bytes(BackChannelFixture.http(status, ["Location: \(address)", "Cache-Control: no-store"], []))
    }
}

/// Writes JSON with sorted members.
enum StandInJSON {
    static func text(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension FormCoding {
    /// The fields of a query or a form, in order, duplicates kept.
    static func fields(_ text: some StringProtocol) -> [(String, String)] {
        text.split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(pair[0]), pair.count == 2 ? decode(pair[1]) : "")
        }
    }
}
