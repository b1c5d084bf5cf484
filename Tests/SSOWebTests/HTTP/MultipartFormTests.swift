import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Forms with a file", .rules)
struct MultipartFormTests {
    private static func part(_ name: String, _ content: String, more: String = "") -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n\(content)\r\n"
    }

    private static func read(_ text: String, boundary: String = "b") -> URLEncodedFields? {
        MultipartForm(Array(text.utf8), boundary: boundary)?.fields
    }

    @Test("fields and files are read byte for byte, whatever they contain")
    func fields() throws {
        let content = "\r\n--a\r\n\r\n--\r\n-\r\n\u{0}--b"
        let text =
            Self.part("form_token", "x+y%20&=") + Self.part("empty", "")
            + Self.part(
                "file", content, more: "; filename=\"a \\\"b\\\"; name=\\\"c\\\".png\"\r\nContent-Type: image/png")
            + "--b--\r\n"
        let fields = try #require(Self.read(text))
        #expect(try fields.text("form_token") == "x+y%20&=")
        #expect(try fields.text("empty") == "")
        #expect(try fields.bytes("file") == Array(content.utf8))
        #expect(try fields.text("c") == nil && fields.text("filename") == nil)
    }

    @Test("a name that appears twice is an error, as in every form")
    func repeated() throws {
        let fields = try #require(Self.read(Self.part("a", "1") + Self.part("a", "2") + "--b--"))
        #expect(throws: URLEncodedFields.FieldError.repeated("a")) { try fields.text("a") }
    }

    static let bad = [
        "", "--b", "--b\r\n", "--b--x", "x--b--", "\r\n--b--", "--c--\r\n", "--b--\r\nx",
        // Cut off in each part.
        "--b\r\nContent-Disposition: form-data; name=\"a\"",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n",
        part("a", "1"), part("a", "1") + "--b", part("a", "1") + "--b-",
        // Without a name, with two, or with one that has no quotation marks.
        "--b\r\n\r\n1\r\n--b--", "--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--",
        "--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--",
        "--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n--b--",
        part("a", "1", more: "; name=\"b\"") + "--b--", part("a", "1", more: "; filename*=UTF-8''x") + "--b--",
        part("a", "1", more: "\r\nContent-Disposition: form-data; name=\"b\"") + "--b--",
        // Another reading of the same bytes.
        part("a", "1", more: "\r\nContent-Transfer-Encoding: base64") + "--b--",
        part("a", "1").replacing("\r\n", with: "\n") + "--b--",
        // Lines of more than a kilobyte, and more parts than any form has.
        part("a", "1", more: "; filename=\"\(String(repeating: "x", count: 1100))\"") + "--b--",
        (0...64).map { part("a\($0)", "1") }.joined() + "--b--",
    ]

    @Test("what no browser sends is no form", arguments: bad)
    func refused(text: String) { #expect(Self.read(text) == nil) }

    /// Each prefix is a body that was cut off, each changed byte one that no browser has written.
    @Test("no beginning and no changed byte of a form is a crash, and what is read stands in the body")
    func fuzz() throws {
        let text = Array(
            (Self.part("form_token", "tok") + Self.part("file", "x", more: "; filename=\"f\"") + "--b--").utf8)
        for end in text.indices { #expect(MultipartForm(Array(text[..<end]), boundary: "b") == nil) }
        for index in text.indices {
            for byte: UInt8 in [0, 10, 13, 34, 45, 58, 59, 92, 128, 255] {
                var changed = text
                changed[index] = byte
                let token = (try? MultipartForm(changed, boundary: "b")?.fields.bytes("form_token")) ?? []
                #expect(token.isEmpty || changed.firstRange(of: token) != nil)
            }
        }
    }
}
