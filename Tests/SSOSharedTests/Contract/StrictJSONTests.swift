import Testing

@testable import SSOShared
@testable import TestKit

@Suite("JSON on the wire", .rules)
struct StrictJSONTests {
    private func read(_ text: String) throws(JSONError) -> JSONNode { try JSONReader.readStrictly([UInt8](text.utf8)) }

    @Test("valid JSON is read")
    func good() throws {
        let object = try read(
            " {\"a\" : [1, -0.5e+3, true,false , null, \"\\u00e9\\n\\ud83d\\ude00/\\/\"] , \"\":{}}\r\n\t")
        let items = try #require(object["a"]?.array)
        #expect(items.count == 6 && items[0].integer == 1 && items[1].integer == nil)
        #expect(items[5].string == "é\n😀//")
        #expect(object.object?.map(\.key) == ["a", ""] && object[""]?.object != nil && object["b"] == nil)
        #expect(try read("-0").integer == 0 && read("9223372036854775807").integer == .max)
        #expect(try read("9223372036854775808").integer == nil && read("\"x\"").string == "x")
    }

    @Test(
        "invalid JSON is refused",
        arguments: [
            "", " ", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{\"a\":1,,\"b\":2}", "{,}", "{a:1}",
            "{'a':1}",
            "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1,]", "[,1]", "[1 2]", "[", "]", "}", "1 2", "{}{}", "nul", "NULL",
            "True",
            "NaN", "Infinity", "-Infinity", "01", "-01", "+1", "1.", ".5", "1e", "1e+", "-", "0x10", "1_000", "\"",
            "\"a",
            "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"a\tb\"", "\"a\nb\"", "\"\u{0}\"", "\"\\u0000\"",
            "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\\udc00\"", "1e400", "-1e400",
            "\u{feff}{}", "/**/{}", "{}//", "{}\u{0}", "\u{a0}{}", "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "٣",
        ])
    func bad(_ text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test(
        "bytes that are not UTF-8 are refused at any position",
        arguments: [
            [0xff], [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
            [0x22, 0xe2, 0x82, 0x22],
            [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0x7b, 0x00, 0x7d, 0x00], [0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d],
        ] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONReader.readStrictly(bytes) }
    }

    @Test("a key that appears twice is refused in a short and in a long object", arguments: [1, 15, 16, 17, 40])
    func duplicates(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":0" }
        #expect(try read("{\(members.joined(separator: ","))}").object?.count == count)
        for key in [0, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"k\(key)\":1}"
            #expect(throws: JSONError.self) { try read(text) }
            #expect(JSONReader.read(text.utf8).errors.map(\.kind) == [.duplicateKey("k\(key)")])
        }
    }

    @Test("two Unicode spellings of one letter are two keys")
    func canonicalEquivalence() throws {
        let object = try read("{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(object["\u{e9}"]?.integer == 1 && object["e\u{301}"]?.integer == 2)
    }

    @Test("nesting is limited, however long the input")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try read(nested(16))
        for levels in [17, 513, 1_000_000] {
            let error = #expect(throws: JSONError.self) { try read(nested(levels)) }
            #expect(error?.kind == .tooDeep && error?.offset == 16)
        }
    }

    @Test("no input crashes the reader")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = [UInt8]("{}[]\",:\\u0e1-+.dD8tfn \u{0}\u{1}é".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in alphabet.randomElement() ?? 0 }
            _ = try? JSONReader.readStrictly(bytes)
        }
    }
}
