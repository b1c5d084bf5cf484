import Foundation
import SSOShared
import Testing

@testable import SSOWeb
@testable import TestKit

/// A slot is encoded by own code: every version reads it with the same meaning, and so does Foundation.
@Suite("Encoding a slot", .rules)
struct JSONTextEncoderTests {
    private enum Action: Codable, Equatable {
        case link(provider: String)
        case unlink(identity: String, at: Int)
        case nothing
    }

    private struct Part: Codable, Equatable {
        var name: String
        var size: UInt8?
        var action = Action.nothing
    }

    /// Everything that a slot may be made of.
    private struct Slot: Codable, Equatable {
        var text = "a\u{0}b\"\\/é\u{2028}\u{7f}😀"
        var flag = true
        var (smallest, largest) = (Int64.min, Int64.max)
        var unsigned = UInt64.max
        var bytes: Data? = Data([0, 255, 7])
        var parts = [
            Part(name: "", size: 255, action: .link(provider: "p")),
            Part(name: "q", action: .unlink(identity: "i", at: -1)),
        ]
        var names: [String: Part] = ["é": Part(name: "n", size: 0)]
        var table: [[Int]] = [[1, -2], [], [3]]
        var missing: String?
        var holes: [String?] = ["x", nil]
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        let writer = JSONTextWriter(reserving: 64)
        try writer.value(value)
        return writer.bytes
    }

    @Test("what is written is read here and by JSONDecoder as it was")
    func sameAsFoundation() throws {
        let bytes = try encoded(Slot())
        #expect(try JSONDecoder().decode(Slot.self, from: Data(bytes)) == Slot())
        let root = try #require(JSONReader.read(bytes).root)
        #expect(try JSONNodeDecoder(root).decode(Slot.self) == Slot())
    }

    @Test("a value that no slot may have is refused, and nothing of it stays")
    func unsupported() throws {
        struct Half: Encodable {
            var text = "t"
            var number = 1.5
        }
        let writer = JSONTextWriter(reserving: 64)
        #expect(throws: EncodingError.self) { try writer.value(Half()) }
        #expect(writer.bytes.isEmpty)
        try writer.value(["after"])
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"["after"]"#)
    }

    @Test("the length of a text is known before it is written", arguments: ["", "plain", "\"\\/\n\u{1}\u{7f}é😀"])
    func length(text: String) throws {
        #expect(JSONText.length(of: text) == JSONText.string(text).utf8.count)
    }
}
