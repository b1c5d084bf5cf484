import Storage
import Testing

@testable import TestKit

@Suite("Values", .rules)
struct SQLValueTests {
    @Test("a value prints only its kind")
    func printing() {
        let values: [SQLValue] = [.text("secret"), .blob([1]), .integer(7), .null(.blob)]
        #expect("\(values)" == "[<text>, <blob>, <integer>, NULL]")
    }

    @Test("an optional value without content is NULL of its type")
    func optionals() {
        #expect(SQLValue.optional(String?.none) == .null(.text))
        #expect(SQLValue.optional(Int64?.none) == .null(.integer))
        #expect(SQLValue.optional([UInt8]?.none) == .null(.blob))
        #expect(SQLValue.optional("text") == .text("text"))
    }
}
