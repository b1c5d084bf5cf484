import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

@Suite("wellknown doctor", .deployment)
struct DoctorTests {
    @Test("A healthy setup is reported as healthy in every line")
    func healthy() throws {
        let report = try DoctorSetUp().report()
        #expect(report.lines.filter { $0.verdict != .agrees } == [])
        #expect(
            Set(report.lines.map(\.subject)) == [
                "the file", "the app's id", "the service webcredentials", "the associated domain", "the capability",
                "the profile's app", "the team", "the profile's end", "the app's package", "the signing certificate",
                "the intent filter",
            ])
        #expect(report.exitCode(failOn: .error) == 0)
        #expect(report.text().contains("Healthy: "))
    }

    @Test("Each broken place is found and reported with a fix", arguments: BrokenSetUp.all)
    func broken(setUp: BrokenSetUp) throws {
        var files = DoctorSetUp()
        var isChanged = false
        setUp.file(&files) { text in
            let changed = text.replacingOccurrences(of: setUp.text, with: setUp.replacement)
            isChanged = changed != text
            return changed
        }
        #expect(isChanged)
        let report = try files.report()
        let differing = report.lines.filter { $0.verdict == .differs }
        #expect(differing.contains { $0.subject == setUp.subject && $0.advice?.contains(setUp.advice) == true })
        // No other line differs. An unreadable file or another app affects only one platform.
        #expect(Set(differing.map(\.subject)).count <= 2)
        #expect(Set(differing.map(\.platform)).count == 1)
        #expect(report.exitCode(failOn: .error) == 1)
    }

    @Test(
        "A caution is not a failure",
        arguments: [
            ("applinks:example.com", "applinks:EXAMPLE.com", "the associated domain"),
            ("<false/>", "<true/>", ""),
        ])
    func cautions(text: String, replacement: String, subject: String) throws {
        var files = DoctorSetUp()
        files.entitlements = files.entitlements.replacingOccurrences(of: text, with: replacement)
        let report = try files.report()
        #expect(report.lines.isHealthy && report.exitCode(failOn: .error) == 0)
        #expect(report.lines.filter { $0.verdict == .caution }.map(\.subject) == (subject.isEmpty ? [] : [subject]))
    }

    @Test("One certificate of a rotated app is enough, and the former one is a caution for older phones")
    func rotated() throws {
        var files = DoctorSetUp()
        files.assetlinks = files.assetlinks.replacing(", \"\(CertificateVector.old)\"", with: "")
        let lines = try files.report().lines.filter { $0.subject == "the signing certificate" }
        #expect(Set(lines.map(\.verdict)) == [.agrees, .caution])
        #expect(lines.contains { $0.verdict == .caution && $0.advice?.contains("Android 9 to 11") == true })
    }

    @Test("for a wildcard in the manifest, Android reads the file of the parent domain")
    func wildcardOfManifest() throws {
        var files = DoctorSetUp()
        files.manifest = files.manifest.replacing(
            "android:host=\"example.com\"", with: "android:host=\"*.example.com\"")
        let line = try files.report(domain: "shop.example.com").lines.first { $0.subject == "the file of the wildcard" }
        #expect(line?.verdict == .caution && line?.advice?.contains("check example.com, too") == true)
        files.manifest = files.manifest.replacing(
            "<data android:scheme", with: "<data android:host=\"shop.example.com\"/><data android:scheme")
        #expect(
            try !files.report(domain: "shop.example.com").lines.contains { $0.subject == "the file of the wildcard" })
    }

    @Test("a manifest of another package than the given one is reported")
    func contradiction() throws {
        let line = try DoctorSetUp().report(package: "com.example.other").lines.first {
            $0.subject == "the app's package"
        }
        #expect(line?.verdict == .differs && line?.advice?.contains("another app") == true)
    }

    @Test("an identifier that Xcode adds later is treated as absent")
    func unfilled() throws {
        var files = DoctorSetUp()
        files.entitlements = files.entitlements.replacing(
            "4J6K8M2N9P.com.example.app", with: "$(AppIdentifierPrefix)com.example.app")
        let report = try files.report()
        #expect(report.lines.isHealthy, "the profile knows it")
        #expect(!report.text().contains("$("))
    }

    @Test("build servers get differences as failures and unchecked lines as skipped")
    func formats() throws {
        var files = DoctorSetUp()
        files.entitlements = files.entitlements.replacing("applinks:example.com", with: "applinks:www.example.com")
        let report = try files.report()
        let style = TextStyle(hasColour: false)
        let junit = report.text(as: .junit, style: style, failOn: .error)
        #expect(junit.contains("doctor.differs") && junit.contains("<failure type=\"error\""))
        #expect(junit.contains("classname=\"example.com\""))
        let github = report.text(as: .github, style: style, failOn: .error)
        #expect(github.contains("::error file=example.com,title=doctor.differs::iOS, the associated domain"))
        let sarif = try JSONSerialization.jsonObject(
            with: Data(report.text(as: .sarif, style: style, failOn: .error).utf8))
        #expect(sarif is [String: Any])
        #expect(try DoctorSetUp().report().text(as: .github, style: style, failOn: .error).contains("::error") == false)
    }

    @Test("a parsed file is not a comparison, and password errors are not link errors")
    func headlines() {
        func line(_ subject: String, _ verdict: DoctorLine.Verdict) -> DoctorLine {
            DoctorLine(.ios, subject, .init("a", "b"), .init("c", "d"), verdict)
        }
        func report(_ lines: [DoctorLine]) -> DoctorReport {
            DoctorReport(host: "acme.com", lines: lines, findings: [])
        }
        let nothing = report([line(DoctorLine.file, .agrees), line("the app's id", .notChecked)])
        #expect(nothing.exitCode(failOn: .error) == 2 && nothing.summary.hasPrefix("Nothing could be compared"))
        let some = report([line("the app's id", .agrees), line("the capability", .notChecked)])
        #expect(some.exitCode(failOn: .error) == 0 && some.summary.hasPrefix("No difference found"))
        let passwords = report([line("the app's id", .agrees), line("the service webcredentials", .differs)])
        #expect(passwords.exitCode(failOn: .error) == 1 && passwords.summary.hasPrefix("Links open the app"))
        let links = report([line("the app's id", .differs), line("the service webcredentials", .differs)])
        #expect(links.summary.hasPrefix("Links will not open the app"))
    }

    @Test("a host that the build adds is not reported", arguments: ["@string/host", "${host}"])
    func placeholderHosts(host: String) throws {
        var files = DoctorSetUp()
        files.manifest = files.manifest.replacingOccurrences(of: "\"example.com\"", with: "\"\(host)\"")
        let codes = try files.report().findings.map(\.code)
        #expect(!codes.contains { $0.hasPrefix("project.manifest") }, "\(codes)")
    }

    @Test("A profile that expires within a month is a caution, with the clock as an input")
    func endIsNear() throws {
        let report = try DoctorSetUp().report(now: Date(timeIntervalSince1970: 1_811_000_000))
        #expect(report.lines.first { $0.subject == "the profile's end" }?.verdict == .caution)
        #expect(report.lines.isHealthy)
    }

    @Test("A wildcard in the app and in the manifest matches a subdomain, and the parent's file is mentioned")
    func wildcard() throws {
        var files = DoctorSetUp()
        files.entitlements = files.entitlements.replacingOccurrences(of: ":example.com", with: ":*.example.com")
        files.manifest = files.manifest.replacingOccurrences(of: "\"example.com\"", with: "\"*.example.com\"")
        let report = try files.report(domain: "shop.example.com")
        #expect(report.lines.isHealthy)
        let line = try #require(report.lines.first { $0.subject == "the associated domain" })
        #expect(line.advice?.contains("file of example.com") == true)
    }

    @Test("Other hosts of verified filters are named, because one failure breaks all up to Android 11")
    func otherHosts() throws {
        var files = DoctorSetUp()
        files.manifest = files.manifest.replacingOccurrences(
            of: "<data android:host=\"example.com\"/>",
            with: "<data android:host=\"example.com\"/><data android:host=\"other.com\"/>")
        let line = try #require(try files.report().lines.first { $0.subject == "the other hosts" })
        #expect(line.verdict == .caution)
        #expect(line.right.value == "other.com")
    }

    @Test("A bundle's upload key is never compared with the file")
    func uploadKey() throws {
        var files = DoctorSetUp()
        files.certificate = "signed.aab"
        let line = try #require(try files.report().lines.first { $0.subject == "the signing certificate" })
        #expect(line.verdict == .notChecked)
        #expect(line.advice?.contains("upload key") == true)
    }

    @Test("A placeholder in a manifest is not reported")
    func placeholder() throws {
        var files = DoctorSetUp()
        files.manifest = files.manifest.replacingOccurrences(of: "\"example.com\"", with: "\"${linkHost}\"")
            .replacingOccurrences(of: "package=\"com.example.app\"", with: "package=\"${applicationId}\"")
        let report = try files.report(package: "com.example.app")
        #expect(report.lines.isHealthy)
        #expect(report.lines.first { $0.subject == "the intent filter" }?.verdict == .notChecked)
    }

    @Test("Without a comparison the result is neither healthy nor broken")
    func nothing() throws {
        let host = try #require(DomainName("example.com"))
        let report = DoctorExamination(host: host, now: Date(timeIntervalSince1970: 0)).report()
        #expect(report.exitCode(failOn: .error) == 2)
        #expect(report.text().contains("Nothing could be compared"))
        #expect(report.lines.allSatisfy { $0.verdict == .notChecked && $0.advice != nil })
    }

    @Test(
        "A domain is a bare host name",
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
            ("https://example.com", nil), ("example.com/", nil), ("example.com:443", nil), ("*.example.com", nil),
            ("münchen.de", nil), ("localhost", nil), ("10.0.0.1", nil), ("", nil), ("a..b", nil), ("-a.com", nil),
        ] as [(String, String?)])
    func domains(text: String, name: String?) { #expect(DomainName(text)?.name == name) }

    @Test("The JSON form contains each line with both places")
    func json() throws {
        let report = try DoctorSetUp().report()
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect(root["healthy"] as? Bool == true)
        let lines = try #require(root["lines"] as? [[String: Any]])
        #expect(lines.count == report.lines.count)
        #expect(lines.allSatisfy { ($0["places"] as? [Any])?.count == 2 })
    }

    @Test("Next to a long URL the text is not set in a narrow column")
    func longPlaces() throws {
        let host = try #require(DomainName("example.com"))
        var examination = DoctorExamination(host: host, now: Date(timeIntervalSince1970: 0))
        let place = "https://example.com/.well-known/apple-app-site-association"
        examination.unserved = [
            DoctorLine(.ios, "the file", .init("domain", "example.com"), .init(place, "status 404"), .differs)
        ]
        #expect(examination.report().text().contains("  \(place): status"))
        #expect(examination.report().exitCode(failOn: .error) == 1)
    }

    @Test("The comparisons also have their stable codes")
    func codes() throws {
        var files = DoctorSetUp()
        files.entitlements = files.entitlements.replacingOccurrences(of: "applinks:example.com", with: "applinks:b.com")
        files.manifest = files.manifest.replacingOccurrences(of: "category.DEFAULT", with: "category.HOME")
        let codes = Set(try files.report().findings.map(\.code))
        #expect(codes.isSuperset(of: ["project.entitlement-missing", "project.manifest-filter"]))
        #expect(try DoctorSetUp().report().findings.filter { $0.severity == .error } == [])
    }

    @Test("A file with an error is not healthy even if all places agree")
    func errorsInFiles() throws {
        var files = DoctorSetUp()
        files.aasa = files.aasa.replacingOccurrences(
            of: "{\"/\": \"/buy/*\"}", with: "{\"/\": \"/buy/*\", \"caseSensitve\": false}")
        let report = try files.report()
        #expect(report.lines.isHealthy)
        #expect(report.findings.contains { $0.severity == .error })
        #expect(report.summary.contains("and the files have"))
        #expect(report.exitCode(failOn: .error) == 1)
        #expect(report.json.contains("\"healthy\" : false"))
    }

    @Test("Lines have at most 80 columns, except values to copy")
    func width() throws {
        var files = DoctorSetUp()
        files.manifest = files.manifest.replacingOccurrences(of: "\"example.com\"", with: "\"other.com\"")
        for line in try files.report().text().split(separator: "\n") where line.count > 80 {
            #expect(line.split(separator: " ").contains { $0.count > 50 }, "\(line)")
        }
    }

    @Test(
        "A profile is read from its signed message, with DER and with indefinite lengths",
        arguments: ["profile.mobileprovision", "profile-streamed.mobileprovision"])
    func signedProfile(name: String) throws {
        let profile = try ProjectFiles.profile(CertificateVector.path(name))
        #expect(profile.entitlements.applicationIdentifier == "4J6K8M2N9P.com.example.app")
        #expect(profile.entitlements.associatedDomains?.map(\.raw) == ["*"])
    }

    @Test("A file of the wrong kind is rejected with its name and a fix")
    func wrongKinds() throws {
        let folder = try TemporaryFolder()
        let binary = folder.path(of: "AndroidManifest.xml")
        try Data([3, 0, 8, 0, 0, 0]).write(to: URL(filePath: binary))
        #expect { try ProjectFiles.manifest(binary) } throws: { "\($0)".contains("broken or cut off") }
        let apk = CertificateVector.path("v2.apk")
        #expect { try ProjectFiles.manifest(apk) } throws: { "\($0)".contains("broken or cut off") }
        let missing = folder.path(of: "none")
        #expect { try ProjectFiles.profile(missing) } throws: { "\($0)".contains("no such file") }
        #expect { try ProjectFiles.profile(CertificateVector.path("modern.p12")) } throws: {
            "\($0)".contains("not a provisioning profile")
        }
    }
}
