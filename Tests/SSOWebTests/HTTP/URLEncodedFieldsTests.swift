import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Fields of queries and forms", .rules)
struct URLEncodedFieldsTests {
    private func read(_ text: String) -> URLEncodedFields { URLEncodedFields(Array(text.utf8)) }

    @Test("names and values are decoded, and a missing name is nil")
    func good() throws {
        let fields = read("a=1&b=x+y%20z%2B&c=&d&%65=%C3%A9&&f==")
        #expect(try fields.text("a") == "1" && fields.text("b") == "x y z+")
        #expect(try fields.text("c") == "" && fields.text("d") == "" && fields.text("e") == "\u{e9}")
        #expect(try fields.text("f") == "=" && fields.text("g") == nil && fields.text("A") == nil)
        #expect(try read("").text("a") == nil)
    }

    /// ASVS 15.3.7: programs take the first value, the last one, or a list.
    @Test(
        "a name that appears twice, in any spelling, or as a list, is refused",
        arguments: [
            "a=1&a=1", "a=1&x=2&a=", "a&a", "a=1&%61=2", "a[]=1", "a=1&a[]=2", "a[0]=1", "a%5B%5D=1&a=2", "a[b]=1",
        ])
    func repeated(_ text: String) {
        #expect(throws: URLEncodedFields.FieldError.repeated("a")) { try read(text).text("a") }
    }

    @Test(
        "a malformed escape or text that is not UTF-8 is refused, not repaired",
        arguments: ["a=%", "a=%4", "a=%zz", "a=%+1", "a=1%", "a=%FF", "a=%C3", "a=%C0%80", "a=%ED%A0%80"])
    func malformed(_ text: String) {
        #expect(throws: URLEncodedFields.FieldError.malformed("a")) { try read(text).text("a") }
    }

    @Test("with more than 64 fields every access is refused")
    func tooMany() throws {
        let filling = String(repeating: "x=1&", count: 63)
        #expect(try read(filling + "a=1").text("a") == "1")
        #expect(throws: URLEncodedFields.FieldError.malformed("a")) { try read("a=1&" + filling + "a=2").text("a") }
        #expect(throws: URLEncodedFields.FieldError.malformed("b")) { try read("a=1&" + filling + "x=2").text("b") }
        #expect(try read("&&" + filling + "a=1&").text("a") == "1")
        #expect(throws: URLEncodedFields.FieldError.malformed("a")) { try read(filling + "a=1&&").text("a") }
    }

    @Test("two Unicode spellings of a value are different bytes")
    func bytes() throws {
        #expect(try read("a=%C3%A9").bytes("a") != read("a=e%CC%81").bytes("a"))
        #expect(try read("a=%FF").bytes("a") == [0xff])
    }
}
