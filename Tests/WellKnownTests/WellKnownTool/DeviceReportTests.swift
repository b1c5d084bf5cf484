import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

/// Sources: Android, "Verify Android App Links"; Apple, TN3155 "Debugging universal links".
@Suite("What a device says", .deployment)
struct DeviceReportTests {
    static func android(_ state: String, allowed: Bool = true, disabled: String = "", host: String = "links.acme.com")
        -> String
    {
        """
          com.acme.shop:
            ID: 01234567-89ab-cdef-0123-456789abcdef
            Signatures: [\(SampleFiles.fingerprint)]
            Domain verification state:
              \(host): \(state)
              www.acme.com: none
            User 0:
              Verification link handling allowed: \(allowed)
              Selection state:
                Enabled:
                  help.acme.com
                Disabled:
                  \(disabled)
        """
    }

    static func apple(_ lines: String) -> String {
        """
        Service:            webcredentials
        App ID:             \(SampleFiles.app)
        Domain:             other.acme.com
        User Approval:      unspecified
        Site/Fmwk Approval: approved
        --------------------------------------------------------------------------------
        Service:            applinks
        App ID:             \(SampleFiles.app)
        App Version:        1
        Domain:             links.acme.com
        Patterns:           {"/":"/shop/*"}
        \(lines)
        Last Checked:       2026-10-01 10:00:00 +0000
        Next Check:         2026-10-06 10:00:00 +0000
        """
    }

    private func lines(_ text: String, package: String? = nil, listed: [String] = []) throws -> [DoctorLine] {
        let host = try #require(DomainName("links.acme.com"))
        let report = try #require(DeviceReport(Array(text.utf8)))
        return DeviceDoctor(host: host, report: report, app: nil, package: package, listed: listed).lines()
    }

    @Test("A report reads the same in another encoding and indented")
    func encodings() throws {
        let folder = try TemporaryFolder()
        for text in [Self.android("verified"), Self.apple("Site/Fmwk Approval: approved")] {
            let indented = text.split(separator: "\n").map { "    \($0)" }.joined(separator: "\r\n")
            for (name, data) in [
                ("utf16", text.data(using: .utf16)), ("mark", Data("\u{feff}\(text)".utf8)),
                ("indented", Data(indented.utf8)),
            ] {
                try #require(data).write(to: URL(fileURLWithPath: folder.path(of: name)))
                let report = try ProjectFiles.device(folder.path(of: name))
                #expect(
                    report.android.first?.states.first?.state ?? report.apple.last?["Site/Fmwk Approval"] != nil,
                    "\(name)")
                #expect(report.android.count + report.apple.count == (text.hasPrefix(" ") ? 1 : 2), "\(name)")
            }
        }
    }

    @Test("Of several apps of a phone, the one that the file names is compared, and a lone one also without the host")
    func chosen() throws {
        let host = try #require(DomainName("links.acme.com"))
        var examination = DoctorExamination(host: host, now: Date(timeIntervalSince1970: 0))
        examination.assetlinks = ("assetlinks.json", Array(SampleFiles.assetLinks.utf8))
        let one = Self.android("verified")
        examination.take(try #require(DeviceReport(Array((one.replacing("shop", with: "other") + "\n" + one).utf8))))
        #expect(examination.package == "com.acme.shop")
        var lone = DoctorExamination(host: host, now: Date(timeIntervalSince1970: 0))
        lone.take(try #require(DeviceReport(Array(Self.android("verified", host: "b.example").utf8))))
        #expect(lone.package == "com.acme.shop")
    }

    @Test(
        "Each state of Android has a verdict, and what is wrong has a meaning and a command",
        arguments: [
            ("verified", DoctorLine.Verdict.agrees, ""), ("approved", .caution, "approved by a command"),
            ("system_configured", .caution, "maker of the device"), ("none", .notChecked, "20 seconds"),
            ("denied", .differs, "denied by a command"), ("migrated", .caution, "Android 11 or older"),
            ("restored", .caution, "from a backup"), ("legacy_failure", .differs, "older verifier"),
            ("1026", .differs, "reports the error 1026"), ("new_state", .caution, "not documented"),
        ])
    func states(state: String, verdict: DoctorLine.Verdict, meaning: String) throws {
        let line = try #require(try lines(Self.android(state)).first)
        #expect(line.subject == "on the phone" && line.verdict == verdict)
        #expect(line.right.value == "com.acme.shop: \(state)")
        guard verdict != .agrees else { return #expect(line.advice == nil) }
        #expect(line.advice?.contains(meaning) == true)
        #expect(line.advice?.contains("adb shell pm verify-app-links --re-verify com.acme.shop") == true)
    }

    @Test("The user's choice, the installed certificate, other hosts and other apps are compared")
    func choices() throws {
        let off = try lines(Self.android("verified", allowed: false))
        #expect(off.last?.subject == "the user's choice" && off.last?.verdict == .differs)
        let unselected = try lines(Self.android("none", disabled: "links.acme.com"))
        #expect(unselected.last?.advice?.contains("set-app-links-user-selection") == true)
        #expect(try lines(Self.android("verified"), listed: [SampleFiles.fingerprint]).last?.verdict == .agrees)
        let other = try lines(Self.android("verified"), listed: [SampleFiles.fingerprint.replacing("3B", with: "4B")])
        #expect(other.last?.subject == "the installed certificate" && other.last?.verdict == .differs)
        #expect(
            try lines(Self.android("verified", host: "x.acme.com")).first?.advice?.contains("declares other hosts")
                == true)
        #expect(
            try lines(Self.android("verified"), package: "com.acme.other").first?.advice?.contains(
                "no app com.acme.other") == true)
        #expect(try lines(Self.android("verified", host: "*.acme.com")).first?.verdict == .agrees)
    }

    @Test(
        "Each state of Apple's systems has a verdict and a way out",
        arguments: [
            ("User Approval: unspecified\nSite/Fmwk Approval: approved", DoctorLine.Verdict.agrees, ""),
            ("User Approval: denied\nSite/Fmwk Approval: approved", .differs, "chose the browser"),
            ("User Approval: unspecified\nSite/Fmwk Approval: denied", .differs, "does not name the app"),
            ("User Approval: unspecified\nSite/Fmwk Approval: unspecified", .notChecked, "2026-10-06"),
            ("Site/Fmwk Approval: denied\nError: SWCERR00101 Bad HTTP Response", .differs, "another status than 200"),
        ])
    func apple(text: String, verdict: DoctorLine.Verdict, advice: String) throws {
        let found = try lines(Self.apple(text))
        #expect(found.count == 1 && found.first?.verdict == verdict, "\(found)")
        if !advice.isEmpty { #expect(found.first?.advice?.contains(advice) == true) }
    }

    @Test("A domain that the device does not know is a difference, and other texts are rejected")
    func unknown() throws {
        let text = Self.apple("").replacing("links.acme.com", with: "x.acme.com")
        #expect(try lines(text).first?.verdict == .differs)
        for text in ["", "hello", "{\"a\": 1}", "<html>"] { #expect(DeviceReport(Array(text.utf8)) == nil) }
    }

    @Test("The program reads a report, and says what else it takes")
    func program() async throws {
        let folder = try SampleFiles.folder()
        try folder.write(Self.android("legacy_failure"), to: "phone.txt")
        let words = ["doctor", "links.acme.com", "--offline", "--assetlinks", "assetlinks.json", "--device-report"]
        let run = try await WellKnownRun.run(words + ["phone.txt"], in: folder.path)
        #expect(run.code == 1 && run.output.contains("on the phone"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("the installed certificate"))
        let other = try await WellKnownRun.run(words + ["assetlinks.json"], in: folder.path)
        #expect(other.code == 2 && other.errors.contains("swcutil_show.txt"))
    }
}
