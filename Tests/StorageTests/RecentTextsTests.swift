import Testing

@testable import Storage
@testable import TestKit

@Suite("What repeats in the log", .rules)
struct RecentTextsTests {
    @Test("a text is news once in a minute, another one at once, and no more than eight in a minute are")
    func news() {
        var recent = RecentTexts()
        let start = ContinuousClock.now
        let said = [("refused", 0), ("refused", 59), ("read-only", 59), ("refused", 60)]
        #expect(said.map { recent.isNews($0, at: start + .seconds($1)) } == [true, false, true, true])
        let many = (1...20).map { recent.isNews("\($0)", at: start + .seconds(61)) }
        #expect(many == (1...20).map { $0 <= 6 })
        let later = recent.isNews("20", at: start + .seconds(121))
        #expect(later)
    }
}
