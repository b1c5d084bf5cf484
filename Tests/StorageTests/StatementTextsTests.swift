import Storage
import Testing

@testable import TestKit

@Suite("Statements by their text", .rules)
struct StatementTextsTests {
    @Test("a text keeps its number, also where it lies elsewhere")
    func found() {
        var texts = StatementTexts(limit: 10)
        for (number, text) in ["", "A", "COMMIT", "ROLLBACK", "SELECT id FROM item WHERE owner = 'ü'"].enumerated() {
            #expect(texts.find(text) == nil)
            #expect(texts.add(text) == number)
            #expect(texts.find(text) == number)
            #expect(texts.find(text.map(String.init).joined()) == number)
        }
        texts.removeAll()
        #expect(texts.count == 0 && texts.find("COMMIT") == nil)
        #expect(texts.add("COMMIT") == 0)
    }

    @Test("texts that differ in one byte are two, wherever it is", arguments: [3, 8, 17, 300])
    func differing(length: Int) {
        let text = String(repeating: "a", count: length)
        var texts = StatementTexts(limit: 1_000)
        #expect(texts.add(text) == 0)
        for place in 0..<length {
            let other = text.prefix(place) + "b" + text.dropFirst(place + 1)
            #expect(texts.find(String(other)) == nil, "\(place)")
            #expect(texts.add(String(other)) == place + 1)
        }
        #expect(texts.find(text + "a") == nil && texts.find(String(text.dropLast())) == nil)
        #expect(texts.find(text) == 0 && texts.find("b" + text.dropFirst()) == 1)
    }

    @Test("texts that look the same and have other bytes are two")
    func canonical() {
        var texts = StatementTexts(limit: 10)
        #expect(texts.add("SELECT 'é'") == 0)
        #expect(texts.find("SELECT 'e\u{301}'") == nil)
    }

    @Test("beyond the limit a text takes the number of the one that was not used for longest")
    func bounded() {
        var texts = StatementTexts(limit: 3)
        for (number, text) in ["a", "b", "c"].enumerated() {
            #expect(texts.add(text) == number)
            _ = texts.find(text)
        }
        #expect(texts.find("a") == 0)
        #expect(texts.add("d") == 1)
        #expect(texts.find("b") == nil && texts.count == 3)
        for (text, number) in ["a": 0, "c": 2, "d": 1] { #expect(texts.find(text) == number, "\(text)") }
    }

    @Test("texts with the same words are found and removed one by one")
    func sameBucket() {
        // Only bytes between the words that are looked at differ.
        let all = (0..<9).map { number in
            String(repeating: "a", count: 40) + "\(number)" + String(repeating: "a", count: 1_000)
        }
        var texts = StatementTexts(limit: 4)
        for (number, text) in all.enumerated() {
            #expect(texts.find(text) == nil)
            #expect(texts.add(text) == number % 4)
            for known in all[max(0, number - 3)...number] { #expect(texts.find(known) != nil) }
            #expect(texts.count == min(number + 1, 4))
        }
        // The one in the middle of the others, then the first one and the last one.
        for text in [all[7], all[5], all[8]] { #expect(texts.find(text) != nil) }
        #expect(texts.add("other") == 6 % 4)
        for text in [all[7], all[5], all[8], "other"] { #expect(texts.find(text) != nil, "\(text.prefix(45))") }
    }
}
