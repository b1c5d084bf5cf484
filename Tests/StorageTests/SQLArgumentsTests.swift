import Storage
import Testing

@testable import TestKit

@Suite("Values of a statement", .rules)
struct SQLArgumentsTests {
    private static func shown(_ values: SQLArguments) -> [String] {
        values.pairs.map { pair in
            if case .integer(let number) = pair.1 { "\(pair.0)=\(number)" } else { pair.0 }
        }
    }

    @Test("a value is read, replaced, added and removed by its name")
    func names() {
        var values: SQLArguments = ["a": 1, "b": 2]
        #expect(values["b"] == 2 && values["c"] == nil)
        values["a"] = 3
        values["c"] = 4
        values["b"] = nil
        values["d"] = nil
        #expect(Self.shown(values) == ["a=3", "c=4"])
    }

    @Test("of two lists the second one counts where both have a name")
    func merging() {
        let values: SQLArguments = ["a": 1, "b": 2]
        #expect(Self.shown(values.merging(["c": 5, "a": 6])) == ["a=6", "b=2", "c=5"])
        #expect(Self.shown(values) == ["a=1", "b=2"])
        #expect(Self.shown(values.merging([:])) == ["a=1", "b=2"])
        #expect(Self.shown(([:] as SQLArguments).merging(values)) == ["a=1", "b=2"])
    }

    @Test("a value is found wherever it stood before")
    func places() {
        let values: SQLArguments = ["a": 1, "b": 2]
        for expected in [0, 1, 2, 99] {
            #expect(values.place(of: "a", near: expected) == 0)
            #expect(values.place(of: "b", near: expected) == 1)
            #expect(values.place(of: "c", near: expected) == nil)
        }
    }

    @Test("printing a list shows names and kinds, and no value")
    func printing() {
        let values: SQLArguments = ["secret": "top-secret", "digest": .blob([7, 7, 7])]
        #expect(!"\(values)".contains("top-secret") && !String(reflecting: values).contains("top-secret"))
        #expect(!"\(values)".contains("7, 7"))
    }
}
