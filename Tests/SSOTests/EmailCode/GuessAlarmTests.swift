import Foundation
import SSOWeb
import Testing

@Suite("Wrong codes over many accounts")
struct GuessAlarmTests {
    private static let alarm = "alarm: more than 100 wrong codes"

    @Test("a hundred within ten minutes are quiet, one more raises the alarm, and ten minutes later it is quiet again")
    func alarm() async throws {
        try await House.open { house in
            // Each account stays within its own limits: that is the point of trying few on many.
            func spray(_ accounts: Range<Int>) async throws {
                for number in accounts {
                    let asking = try await house.asking("user\(number)@example.com")
                    for _ in 0..<5 { _ = try await asking.guess(asking.wrong) }
                }
            }
            try await spray(0..<20)
            #expect(!house.log.contains(Self.alarm))
            try await spray(20..<21)
            #expect(house.log.contains(Self.alarm))
            let raised = house.log.text.components(separatedBy: Self.alarm).count
            house.clock.advance(by: .minutes(20))
            try await spray(21..<22)
            #expect(house.log.text.components(separatedBy: Self.alarm).count == raised)
        }
    }
}
