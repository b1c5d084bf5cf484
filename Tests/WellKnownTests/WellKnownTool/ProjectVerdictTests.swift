import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Projects as the vendors document them, and what the doctor says of each. No right one differs, and each wrong one is
/// named in the row that is wrong.
@Suite("Project files: verdicts", .deployment)
struct ProjectVerdictTests {
    @Test(
        "A project is judged by what is surely the app's",
        arguments: ProjectCases.apple + ProjectCases.fastlane + ProjectCases.android + ProjectCases.expos
            + ProjectCases.gradleSpellings + ProjectCases.xcodeSpellings + ProjectCases.expoSpellings
            + ProjectCases.hostile)
    func verdict(item: ProjectCases.Case) throws {
        let folder = try TemporaryFolder()
        for (name, text) in item.files {
            let place = URL(fileURLWithPath: folder.path(of: name)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try folder.write(text, to: name)
        }
        let host = try #require(DomainName(ProjectCases.host))
        var examination = DoctorExamination(
            host: host, app: item.app, package: item.package, now: Date(timeIntervalSince1970: 0))
        let project = ProjectReading(try ProjectFolder(folder.path), defined: item.defined)
        examination.project = project
        if item.ios != "." { examination.aasa = ("aasa.json", Array(SampleFiles.aasa.utf8)) }
        if item.android != "." { examination.assetlinks = ("assetlinks.json", Array(SampleFiles.assetLinks.utf8)) }
        let report = examination.report()
        func letters(_ subjects: String...) -> String {
            subjects.map { subject in
                let verdicts = report.lines.filter { $0.subject == subject }.map(\.verdict)
                if verdicts.contains(.differs) { return "d" }
                if verdicts.isEmpty || verdicts.contains(.notChecked) { return "-" }
                return verdicts.contains(.caution) ? "c" : "a"
            }.joined()
        }
        if item.ios != "." {
            #expect(letters("the app's id", "the associated domain") == item.ios, "\(report.text())\(project.notes)")
        }
        if item.android != "." {
            #expect(
                letters("the app's package", "the intent filter") == item.android, "\(report.text())\(project.notes)")
        }
        // Every file that was looked at or not read is named.
        for path in item.files.keys where path.hasSuffix("Appfile") {
            let note = "\(folder.path(of: path)) (fastlane Appfile): "
            #expect(project.notes.count { $0.hasPrefix(note) } == 1)
        }
        for path in item.files.keys where path.hasSuffix("app.config.js") {
            #expect(project.notes.contains { $0.contains(path) && $0.contains("not read") })
        }
    }
}
