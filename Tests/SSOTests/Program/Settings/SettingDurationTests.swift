import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Durations in settings", .program)
struct SettingDurationTests {
    @Test("a duration is digits and a unit, within its bounds")
    func forms() {
        let bounds = Duration.seconds(1) ... .days(30)
        for (text, duration) in [
            ("300s", .seconds(300)), ("5m", .minutes(5)), ("2h", .hours(2)), ("30d", .days(30)), ("007m", .minutes(7)),
        ] as [(String, Duration)] {
            #expect(SettingDuration.read(text, in: bounds) == duration, "\(text)")
        }
        for text in [
            "", "5", "m", "0s", "31d", "-5m", "+5m", "5 m", " 5m", "5m ", "1.5h", "5M", "5min", "5w", "\u{665}m",
            "5\u{301}m", "99999999999d", "9999999999d", "500ms",
        ] {
            #expect(SettingDuration.read(text, in: bounds) == nil, "\(text)")
        }
        #expect(SettingDuration.read("1500ms", in: bounds, allowsMilliseconds: true) == .milliseconds(1500))
    }

    @Test(
        "every setting of a duration takes seconds, minutes and hours",
        arguments: [
            (.idp, "IDP_SESSION_LIFETIME"), (.idp, "IDP_SESSION_IDLE"), (.idp, "IDP_REMEMBER"),
            (.client, "RP_SESSION_LIFETIME"), (.client, "RP_SESSION_IDLE"), (.client, "RP_SESSION_CHECK"),
        ] as [(SettingsFixture.Program, String)], ["300s", "60m", "1h"])
    func units(setting: (program: SettingsFixture.Program, name: String), value: String) {
        let reader = SettingsFixture.read(setting.program, [setting.name: value])
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(reader.lines.contains { $0.name == setting.name && $0.shown == value })
    }
}
