import Storage
import Testing

@testable import TestKit

@Suite("Statements by their text", .rules)
struct StatementCacheTests {
    private final class Statement {}

    @Test("a statement is found by its text, also where that lies elsewhere")
    func found() {
        var cache = StatementCache<Statement>(limit: 10)
        for text in ["", "A", "COMMIT", "ROLLBACK", "SELECT id FROM item WHERE id = :id AND owner = 'ü'"] {
            #expect(cache.find(text) == nil)
            let statement = Statement()
            cache.add(text, statement)
            #expect(cache.find(text) === statement)
            #expect(cache.find(text.map(String.init).joined()) === statement)
        }
        cache.removeAll()
        #expect(cache.count == 0 && cache.find("COMMIT") == nil)
    }

    @Test("texts that differ in one byte are two, wherever it is", arguments: [3, 8, 17, 300])
    func differing(length: Int) {
        let text = String(repeating: "a", count: length)
        for place in 0..<length {
            var cache = StatementCache<Statement>(limit: 10)
            cache.add(text, Statement())
            #expect(cache.find(text.prefix(place) + "b" + text.dropFirst(place + 1)) == nil, "\(place)")
            #expect(cache.find(text + "a") == nil)
        }
    }

    @Test("texts that look the same and have other bytes are two")
    func canonical() {
        var cache = StatementCache<Statement>(limit: 10)
        cache.add("SELECT 'é'", Statement())
        #expect(cache.find("SELECT 'e\u{301}'") == nil)
    }

    @Test("beyond the limit the statement goes that was not used for longest")
    func bounded() {
        var cache = StatementCache<Statement>(limit: 3)
        for text in ["a", "b", "c"] {
            cache.add(text, Statement())
            _ = cache.find(text)
        }
        #expect(cache.find("a") != nil)
        cache.add("d", Statement())
        #expect(cache.count == 3)
        #expect(cache.find("b") == nil)
        for text in ["a", "c", "d"] { #expect(cache.find(text) != nil, "\(text)") }
        for number in 1...2_000 { cache.add("\(number)", Statement()) }
        #expect(cache.count == 3 && cache.find("2000") != nil)
    }
}
