import Foundation
import SSOShared
import Testing

@testable import SSOWeb
@testable import TestKit

/// A slot is decoded by own code and encoded by Foundation: both must mean the same.
@Suite("Decoding a slot", .rules)
struct JSONNodeDecoderTests {
    private enum Kind: String, Codable { case first, second }

    private struct Part: Codable, Equatable {
        var name: String
        var kind: Kind
        var size: UInt8?
    }

    /// Everything that a slot may be made of.
    private struct Slot: Codable, Equatable {
        var text = "a\u{0}b\"\\/é\u{2028}😀"
        var flag = true
        var (smallest, largest) = (Int64.min, Int64.max)
        var unsigned = UInt64.max
        var bytes: Data? = Data([0, 255, 7])
        var parts = [Part(name: "", kind: .second, size: 255), Part(name: "p", kind: .first, size: nil)]
        var names: [String: Part] = ["é": Part(name: "n", kind: .first, size: 0)]
        var table: [[Int]] = [[1, -2], []]
        var missing: String?
        var holes: [String?] = ["x", nil]
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        let document = JSONReader.read(text.utf8)
        return try JSONNodeDecoder(#require(document.root)).decode(type)
    }

    @Test(
        "what JSONEncoder writes is read as JSONDecoder reads it",
        arguments: [JSONEncoder.OutputFormatting(), [.sortedKeys, .prettyPrinted]])
    func sameAsFoundation(form: JSONEncoder.OutputFormatting) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = form
        let data = try encoder.encode(Slot())
        #expect(try decode(Slot.self, String(decoding: data, as: UTF8.self)) == Slot())
        #expect(try JSONDecoder().decode(Slot.self, from: data) == Slot())
    }

    @Test(
        "another form is an error, for Foundation and here",
        arguments: [
            #"{"name":7,"kind":"first"}"#, #"{"name":"n","kind":"third"}"#, #"{"kind":"first"}"#,
            #"{"name":"n","kind":"first","size":256}"#, #"{"name":"n","kind":"first","size":-1}"#,
            #"{"name":"n","kind":"first","size":1.5}"#, #"{"name":"n","kind":"first","size":"1"}"#,
            #"{"name":null,"kind":"first"}"#, "[]", "7", "null", #""text""#,
        ])
    func otherForm(text: String) {
        #expect(throws: DecodingError.self) { try decode(Part.self, text) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Part.self, from: Data(text.utf8)) }
    }

    @Test("bytes that are not base64, and an array that is too short, are errors")
    func otherBytes() {
        #expect(throws: DecodingError.self) { try decode([Data].self, #"["!"]"#) }
        #expect(throws: DecodingError.self) { try decode(Pair.self, #"["one"]"#) }
        #expect(throws: DecodingError.self) { try decode(Pair.self, #"{"0":"one"}"#) }
    }

    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var items = try decoder.unkeyedContainer()
            _ = try items.decode(String.self)
            _ = try items.decode(String.self)
        }
    }
}
