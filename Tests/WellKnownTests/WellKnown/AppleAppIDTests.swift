import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Apple app ids", .rules)
struct AppleAppIDTests {
    @Test(
        "An app id consists of a team id and a bundle id, and its text does not change",
        arguments: [
            "ABCDE12345.com.example.app", "0123456789.app", "ABCDEFGHIJ.com.Example.App-2", "ABCDE12345.-a.9",
        ])
    func reads(text: String) throws {
        let app = try AppleAppID(text)
        #expect(app.description == text)
        #expect(app.teamID == String(text.prefix(10)))
        #expect(app.bundleID == String(text.dropFirst(11)))
    }

    @Test(
        "An invalid app id is rejected, and the message names it",
        arguments: [
            ("com.example.app", "team id"),
            ("ABCDE1234.com.example.app", "team id"),
            ("ABCDE123456.com.example.app", "team id"),
            ("abcde12345.com.example.app", "team id"),
            ("ABCDE1234é.com.example.app", "team id"),
            ("ABCDE1234٥.com.example.app", "team id"),
            (".com.example.app", "team id"),
            ("ABCDE12345", "no dot"),
            ("", "no dot"),
            ("ABCDE12345.", "empty part"),
            ("ABCDE12345.com..app", "empty part"),
            ("ABCDE12345.com.example.", "empty part"),
            ("ABCDE12345.*", "only"),
            ("ABCDE12345.com.example.*", "only"),
            ("ABCDE12345.com.ex_ample", "only"),
            ("ABCDE12345.com.exämple", "only"),
            ("ABCDE12345.com.example app", "only"),
            ("ABCDE12345.com.example\r\n", "only"),
            ("ABCDE12345.com.example\u{0}", "only"),
            ("ABCDE12345." + String(repeating: "a", count: 156), "longer"),
        ])
    func refuses(text: String, reason: String) throws {
        let fault = try #require(throws: AssociationError.self) { try AppleAppID(text) }
        #expect(fault.description.contains(reason))
        #expect(fault.description.contains(text.prefix(5).filter { $0.isASCII }))
        #expect(fault.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
    }

    @Test(
        "Items are separated by commas, and white space around them is ignored",
        arguments: [
            ("", 0), (" \n ", 0), ("ABCDE12345.com.example.app", 1),
            (" ABCDE12345.com.example.app ,\n  ABCDE12345.com.example.beta\r\n", 2),
        ])
    func lists(text: String, count: Int) throws {
        #expect(try AppleAppID.list(text).count == count)
    }

    @Test(
        "An empty item at any position is an error with that position",
        arguments: [("ABCDE12345.a,", 2), (",ABCDE12345.a", 1), ("ABCDE12345.a, ,ABCDE12345.b", 2)])
    func emptyItems(text: String, position: Int) {
        #expect(throws: AssociationError.emptyItem(position: position)) { try AppleAppID.list(text) }
    }

    @Test("An app that is listed twice is an error")
    func duplicates() {
        #expect(throws: AssociationError.duplicate(item: "ABCDE12345.a")) {
            try AppleAppID.list("ABCDE12345.a,ABCDE12345.b,ABCDE12345.a")
        }
    }

    @Test("A long item is truncated in the message")
    func longItems() throws {
        let fault = try #require(throws: AssociationError.self) {
            try AppleAppID(String(repeating: "x", count: 100_000))
        }
        #expect(fault.description.utf8.count < 400)
    }
}
