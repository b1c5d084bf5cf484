import Logging
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The program's time while the wall clock is wrong. The time is read every second, as in a busy program.
@Suite("The program's time", .rules)
struct JudgedClockTests {
    private static let noon = Timestamp(milliseconds: 1_795_262_400_000)

    /// A wall clock with an offset to the true time, which the test changes.
    private struct Scenario {
        var steady: Duration = .zero
        var offset: Duration = .zero
        var clock = JudgedClock(ClockReading(wall: noon, steady: .zero))
        var last = noon

        /// Advances the time by seconds and reads at each. Returns the final difference from the true time.
        mutating func pass(_ seconds: Int) -> Duration {
            for _ in 0..<seconds {
                steady += .seconds(1)
                last = clock.now(ClockReading(wall: noon + steady + offset, steady: steady))
            }
            return last - (noon + steady)
        }
    }

    @Test("while both clocks agree the time is the wall clock's, and no part of a millisecond is lost")
    func agreement() {
        var clock = JudgedClock(ClockReading(wall: Self.noon, steady: .zero))
        for number in 1...10_000 {
            let steady = Duration.microseconds(number * 300)
            // Truncated to milliseconds, as the wall clock's readings are.
            let wall = Self.noon + .milliseconds(steady.milliseconds)
            #expect(clock.now(ClockReading(wall: wall, steady: steady)) == wall)
        }
        #expect(clock.state == ClockState())
    }

    @Test("small steps ahead are followed at once, small steps back never", arguments: [1, 10, 30])
    func small(seconds: Int) {
        var scenario = Scenario()
        scenario.offset = .seconds(seconds)
        #expect(scenario.pass(1) == .seconds(seconds))
        scenario.offset = .zero
        #expect(scenario.pass(100) == .seconds(seconds), "time does not run backwards")
        #expect(scenario.clock.state.disagreement == nil)
    }

    @Test(
        "a jump ahead that does not last changes nothing and is reported while it lasts",
        arguments: [Duration.seconds(31), .hours(1), .days(3), .days(4000)], [2, 60, 599])
    func briefJump(ahead: Duration, seconds: Int) {
        var scenario = Scenario()
        #expect(scenario.pass(10) == .zero)
        scenario.offset = ahead
        for _ in 0..<seconds {
            #expect(scenario.pass(1) == .zero)
            #expect(scenario.clock.state.disagreement == ahead)
        }
        scenario.offset = .zero
        #expect(scenario.pass(1) == .zero)
        #expect(scenario.clock.state == ClockState())
    }

    @Test("a jump that lasts ten minutes is accepted, as after a pause of the machine")
    func lastingJump() {
        var scenario = Scenario()
        scenario.offset = .days(3)
        #expect(scenario.pass(600) == .zero && scenario.clock.state.disagreement == .days(3))
        #expect(scenario.pass(1) == .days(3))
        #expect(scenario.clock.state == ClockState(disagreement: nil, origin: .acceptedJump, epoch: 1))
        #expect(scenario.pass(100_000) == .days(3))
    }

    @Test("of several jumps each must last by itself")
    func randomJumps() {
        var scenario = Scenario()
        for number in 1...20 {
            scenario.offset = .days(number)
            #expect(scenario.pass(500) == .zero)
        }
        scenario.offset = .zero
        #expect(scenario.pass(1) == .zero)
        #expect(scenario.clock.state == ClockState())
    }

    @Test("when an accepted jump is reversed, the time from before continues")
    func takenBack() {
        var scenario = Scenario()
        scenario.offset = .days(3)
        #expect(scenario.pass(3600) == .days(3))
        scenario.offset = .seconds(-2)
        #expect(scenario.pass(1) == .zero)
        #expect(scenario.clock.state == ClockState(disagreement: nil, origin: .returned, epoch: 2))
        #expect(scenario.pass(3600) == .zero)
    }

    @Test("a clock that is set back never makes expired things valid", arguments: [31, 3600, 86_400])
    func setBack(seconds: Int) {
        var scenario = Scenario()
        #expect(scenario.pass(10) == .zero)
        scenario.offset = .seconds(-seconds)
        #expect(scenario.pass(10_000) == .zero)
        #expect(scenario.clock.state.disagreement == .seconds(-seconds))
        scenario.offset = .zero
        #expect(scenario.pass(1) == .zero)
        #expect(scenario.clock.state == ClockState())
    }

    @Test("time that passes while the machine sleeps is not a jump")
    func sleep() {
        var scenario = Scenario()
        scenario.steady += .days(3)
        #expect(scenario.pass(1) == .zero)
        #expect(scenario.clock.state == ClockState())
    }

    @Test("the time goes back only when an accepted jump is reversed")
    func monotonic() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var scenario = Scenario()
            var (last, epoch) = (scenario.last, 0)
            for _ in 0..<300 {
                scenario.offset = .seconds(
                    Int.random(in: -200_000...200_000, using: &random) / Int.random(in: 1...9000))
                _ = scenario.pass(Int.random(in: 1...5, using: &random))
                #expect(scenario.last >= last || scenario.clock.state.epoch > epoch)
                (last, epoch) = (scenario.last, scenario.clock.state.epoch)
            }
        }
    }

    @Test("each change is logged once, at error level when an operator must act")
    func events() {
        let sure = ClockState()
        let ahead = ClockState(disagreement: .days(3))
        let behind = ClockState(disagreement: .seconds(-90))
        let accepted = ClockState(origin: .acceptedJump, epoch: 1)
        let returned = ClockState(origin: .returned, epoch: 2)
        let table: [(ClockState, ClockState, ClockEvent?)] = [
            (sure, sure, nil), (sure, ahead, .jumped(ahead: .days(3))),
            (ahead, ClockState(disagreement: .days(4)), nil), (ahead, sure, .restored),
            (ahead, accepted, .jumpAccepted), (accepted, accepted, nil), (accepted, returned, .restored),
            (sure, behind, .setBack(behind: .seconds(90))), (behind, behind, nil), (behind, sure, .restored),
            (ahead, behind, .setBack(behind: .seconds(90))), (behind, ahead, .jumped(ahead: .days(3))),
        ]
        for (before, after, event) in table { #expect(ClockWatch.event(from: before, to: after) == event) }
        let log = CapturedLog()
        log.logger("idp").record(ClockEvent.jumped(ahead: .days(3)).event)
        #expect(log.contains("error clock_jumped") && log.contains("259200"))
        log.logger("idp").record(ClockEvent.restored.event)
        #expect(log.contains("notice clock_restored"))
    }
}
