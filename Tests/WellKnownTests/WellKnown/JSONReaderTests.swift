import SSOShared
import Testing
import WellKnown

@testable import TestKit

@Suite("The JSON parser", .rules)
struct JSONReaderTests {
    @Test("every value is parsed, with the position of each key and value")
    func placesAreKept() throws {
        let document = JSONReader.read("{\n  \"a\": [1, true, null, \"ü\"],\r\n  \"é\": {}\n}".utf8)
        let root = try #require(document.root)
        #expect(document.errors.isEmpty)
        let members = try #require(root.object)
        #expect(members.map(\.key) == ["a", "é"])
        let last = try #require(members[0].value.array?.last)
        #expect(last.string == "ü")
        #expect(document.position(at: last.range.lowerBound) == SourcePosition(line: 2, column: 24))
        #expect(document.position(at: members[1].value.range.lowerBound) == SourcePosition(line: 3, column: 8))
        #expect(document.pointer(at: last.range.lowerBound) == "/a/3")
        #expect(document.pointer(at: members[1].keyRange.lowerBound) == "/é")
    }

    @Test(
        "constructs that parsers treat differently are reported, and parsing continues",
        arguments: [
            ("{\"a\":1,}", JSONError.Kind.trailingComma, 1, 7), ("[1,\n2,\n]", .trailingComma, 2, 2),
            ("// x\n{}", .comment, 1, 1), ("{/* x */}", .comment, 1, 2), ("# x\n[]", .comment, 1, 1),
            ("{\u{201c}a\u{201d}:1}", .smartQuote, 1, 2), ("{'a':1}", .singleQuotes, 1, 2),
            ("{\u{a0}\"a\":1}", .invisible(scalar: 0xa0), 1, 2), ("{\"a\":1,\"a\":2}", .duplicateKey("a"), 1, 8),
            ("\u{feff}{}", .byteOrderMark, 1, 1),
        ])
    func lenient(text: String, kind: JSONError.Kind, line: Int, column: Int) throws {
        let document = JSONReader.read(text.utf8)
        #expect(document.root != nil)
        let fault = try #require(document.errors.first)
        #expect(fault.kind == kind)
        #expect(document.position(at: fault.offset) == SourcePosition(line: line, column: column))
    }

    @Test(
        "invalid JSON is rejected with its position",
        arguments: [
            ("", JSONError.Kind.syntax, 1, 1), ("{\"a\" 1}", .syntax, 1, 6), ("[1 2]", .syntax, 1, 4),
            ("{\"a\":\"b}", .syntax, 1, 6), ("[01]", .badNumber, 1, 2), ("[1.]", .badNumber, 1, 2),
            ("[+1]", .badNumber, 1, 2),
            ("[-]", .badNumber, 1, 2), ("[tru]", .syntax, 1, 2), ("[] x", .trailingContent, 1, 4),
            ("[\"\\x\"]", .badString, 1, 3), ("[\"a\nb\"]", .badString, 1, 4), ("[\"\\ud800\"]", .loneSurrogate, 1, 3),
            ("[\"\\udc00\\ud800\"]", .loneSurrogate, 1, 3), ("[\"\u{1}\"]", .badString, 1, 3),
        ])
    func refused(text: String, kind: JSONError.Kind, line: Int, column: Int) throws {
        let document = JSONReader.read(text.utf8)
        #expect(document.root == nil)
        let fault = try #require(document.errors.last)
        #expect(fault.kind == kind)
        #expect(document.position(at: fault.offset) == SourcePosition(line: line, column: column))
    }

    @Test("escapes and surrogate pairs are decoded")
    func escapes() {
        let document = JSONReader.read(#"["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"]"#.utf8)
        #expect(document.root?.array?.first?.string == "\"\\/\u{8}\u{c}\n\r\té😀")
    }

    @Test("512 levels are parsed, the 513th is rejected, and a million brackets are safe")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(JSONReader.read(nested(512).utf8).root != nil)
        #expect(JSONReader.read(nested(513).utf8).errors.last?.kind == .tooDeep)
        #expect(JSONReader.read(String(repeating: "[{\"\":", count: 1_000_000).utf8).errors.last?.kind == .tooDeep)
    }

    @Test("a text over the size limit is rejected without parsing")
    func size() {
        var limits = JSONReader.Limits()
        limits.bytes = 4
        #expect(JSONReader.read("[12]".utf8, limits: limits).root != nil)
        #expect(JSONReader.read("[123]".utf8, limits: limits).errors.map(\.kind) == [.tooLong])
    }

    @Test(
        "UTF-16 is parsed and reported in both byte orders", arguments: [true, false], [true, false])
    func utf16(isBig: Bool, hasMark: Bool) throws {
        let units = Array("\(hasMark ? "\u{feff}" : "")[\"é😀\"]".utf16)
        let bytes = units.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isBig ? pair : pair.reversed()
        }
        let document = JSONReader.read(bytes)
        #expect(document.root?.array?.first?.string == "é😀")
        #expect(document.errors.first?.kind == .encoding(name: isBig ? "UTF-16BE" : "UTF-16LE"))
        #expect(document.errors.contains { $0.kind == .byteOrderMark } == hasMark)
    }

    @Test("invalid UTF-8 ends the parsing at its position")
    func latin1() throws {
        let document = JSONReader.read(Array("[\"".utf8) + [0xe9] + Array("\"]".utf8))
        #expect(document.root == nil)
        let fault = try #require(document.errors.first)
        #expect(fault.kind == .encoding(name: "Latin-1"))
        #expect(fault.offset == 2)
    }

    @Test("equality ignores positions and the order of members")
    func equality() {
        func root(_ text: String) -> JSONNode? { JSONReader.read(text.utf8).root }
        #expect(root("{\"a\":1,\"b\":[null]}") == root("{ \"b\" : [ null ] , \"a\" : 1 }"))
        #expect(root("[1,2]") != root("[2,1]"))
        #expect(root("[\"\u{e9}\"]") != root("[\"e\u{301}\"]"), "canonically equal is not equal: systems compare bytes")
    }
}
