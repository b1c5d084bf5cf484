import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Every state of every page in a real browser. With `SCREENSHOTS=FOLDER` each is also written there as a PNG, and with
/// `SSO_TEST_PAGES=admin` only those are looked at whose name begins so.
///
/// Beside the journeys and not among them: it is as long as all of them, and measures no time.
@Suite(
    "Accessibility", .journey, .dependsOnMachine, .serialized,
    .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
struct AccessibilityJourneys {
    private static let screenshots = ProcessInfo.processInfo.environment["SCREENSHOTS"]

    private static let beginning = ProcessInfo.processInfo.environment["SSO_TEST_PAGES"] ?? ""

    private static let hasAxe = ConditionTrait.enabled(
        if: AxeCore.isAvailable, "needs axe-core, which script/setup --test fetches from PyPI")

    @Test(
        "every page state, in both languages: nothing wider than 320 px, large targets, no two boxes that touch, names isolated, and no finding of axe on a page of each kind",
        hasAxe)
    func everyPage() async throws { try await Self.look(at: Self.narrow) }

    @Test(
        "every page state, in both languages, also dark, in forced colours and at 200 %: no finding of axe, nothing too wide, edges in sight",
        hasAxe, .enabled(if: TestLength.isNightly || screenshots != nil, "script/test nightly"))
    func everyLook() async throws { try await Self.look(at: Self.wide) }

    /// Captures every page, and shows each in a browser. One browser for each language: two cores.
    private static func look(
        at check: @escaping @Sendable (CapturedPage, Chromium, _ isFirstOfItsKind: Bool) async throws -> Void
    ) async throws {
        let axe = try #require(AxeCore.script, "script/setup --test could not fetch axe-core")
        let folder = try TemporaryFolder()
        let states = try PageStates.all(in: folder).compactMap { $0.beginning(beginning) }
        let gallery = try await PageGallery.capture(states, in: PageStates.languages)
        withExtendedLifetime(folder) {}
        try await gallery.serve { origin in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for language in PageStates.languages {
                    group.addTask {
                        let chromium = try await Chromium()
                        try await chromium.addToEveryPage(axe)
                        var kinds: Set<Set<String>> = []
                        for page in gallery.pages where page.language == language {
                            try await chromium.show(colors: .light)
                            try await chromium.resize(width: 320, height: 640)
                            try await chromium.visit(origin + PageGallery.path(of: page))
                            #expect(page.reply.status == page.state.status, "\(page.name)")
                            #expect(
                                try await !chromium.elements(page.state.mark).isEmpty,
                                "\(page.name): \(page.state.mark)")
                            // How Swift prints a value that a template has no words for.
                            #expect(!page.reply.text.contains("Properties("), "\(page.name)")
                            let isNew = kinds.insert(try page.kind).inserted
                            try await check(page, chromium, isNew || TestLength.isNightly)
                        }
                        try await chromium.quit()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func expectNothing(
        _ what: String, _ script: String, on page: CapturedPage, _ chromium: Chromium
    ) async throws {
        let found = try await chromium.run(script).items.compactMap(\.text)
        #expect(found.isEmpty, "\(page.name), \(what): \(found.joined(separator: "\n"))")
    }

    @Sendable private static func narrow(
        _ page: CapturedPage, _ chromium: Chromium, _ isFirstOfItsKind: Bool
    ) async throws {
        let structure = PageChecks.structure(language: page.language)
        try await expectNothing("structure", structure, on: page, chromium)
        try await expectNothing("names", PageChecks.isolation, on: page, chromium)
        try await expectNothing("320 px", PageChecks.overflow, on: page, chromium)
        try await expectNothing("320 px", PageChecks.targets, on: page, chromium)
        try await expectNothing("320 px", PageChecks.spacing, on: page, chromium)
        try await expectNothing("320 px", PageChecks.punctuation, on: page, chromium)
        _ = try await chromium.run(PageChecks.doubleText)
        try await expectNothing("320 px with 200 % text", PageChecks.overflow, on: page, chromium)
        try await expectNothing("320 px with 200 % text", PageChecks.spacing, on: page, chromium)
        _ = try await chromium.run(PageChecks.plainText)
        // A table with many columns is too wide where it just begins to be one.
        let further = page.state.name.hasPrefix("admin-audit") ? [961, 1_024, 1_152, 1_440, 1_920] : []
        for width in [390, 1_000, 1_280] + further {
            try await chromium.resize(width: width, height: 900)
            try await expectNothing("\(width) px", PageChecks.spacing, on: page, chromium)
            try await expectNothing("\(width) px", PageChecks.overflow, on: page, chromium)
            try await expectNothing("\(width) px", PageChecks.card, on: page, chromium)
            try await expectNothing("\(width) px", PageChecks.words, on: page, chromium)
            try await expectNothing("\(width) px", PageChecks.punctuation, on: page, chromium)
        }
        try await chromium.resize(width: 320, height: 640)
        // axe takes most of the time. Contrast does not depend on the language, so each language has one of the looks.
        if page.language == "de" && isFirstOfItsKind {
            try await expectNothing("320 px, light, axe", AxeCore.run, on: page, chromium)
        }
        try await photograph(page, "320-light", chromium)
    }

    @Sendable private static func wide(_ page: CapturedPage, _ chromium: Chromium, _: Bool) async throws {
        // 1280 px at 200 %, and the text alone at 200 %.
        try await chromium.resize(width: 640, height: 450, scale: 2)
        try await expectNothing("200 % zoom", PageChecks.overflow, on: page, chromium)
        _ = try await chromium.run(PageChecks.doubleText)
        try await expectNothing("200 % text", PageChecks.overflow, on: page, chromium)
        _ = try await chromium.run(PageChecks.plainText)

        try await chromium.resize(width: 1_280, height: 900)
        try await photograph(page, "1280-light", chromium)
        try await chromium.show(colors: .dark)
        if page.language == "en" { try await expectNothing("1280 px, dark, axe", AxeCore.run, on: page, chromium) }
        try await photograph(page, "1280-dark", chromium)
        try await chromium.show(colors: .forced)
        try await expectNothing("forced colours", PageChecks.forcedColors, on: page, chromium)
        try await photograph(page, "1280-forced", chromium)
        if screenshots != nil {
            try await chromium.show(colors: .dark)
            try await chromium.resize(width: 320, height: 640)
            try await photograph(page, "320-dark", chromium)
        }
    }

    private static func photograph(_ page: CapturedPage, _ look: String, _ chromium: Chromium) async throws {
        guard let screenshots else { return }
        try FileManager.default.createDirectory(atPath: screenshots, withIntermediateDirectories: true)
        try await chromium.fullScreenshot()
            .write(to: URL(fileURLWithPath: "\(screenshots)/\(page.name)-\(look).png"))
    }

    @Test("without JavaScript, in a browser that prefers German, every form works and every error is reached")
    func withoutJavaScript() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium(javaScript: false, width: 320, height: 640)
            try await chromium.prefer(language: "de")
            try await chromium.visit(pair.client.origin + "/")
            #expect(try await chromium.attribute("lang", of: "html") == "de")
            try await chromium.press("a[href*='\(SSOPath.authorize)']")

            // The browser's own check of the field accepts this address.
            try await chromium.type("ann@example", into: "input[name=email]")
            try await chromium.press("form:has(input[name=email]) \(Chromium.submit)")
            let field = "input[name=email][aria-invalid=true]"
            #expect(try await chromium.attribute("value", of: field) == "ann@example")
            try await chromium.clear(field)
            try await chromium.askForCode("ann@example.com")
            #expect(try await chromium.attribute("lang", of: "html") == "de")

            let code = try await pair.mailbox.code(to: "ann@example.com")
            for wrong in ["12", code == "000000" ? "000001" : "000000"] {
                try await chromium.enterCode(wrong)
                _ = try await chromium.element("input[name=code][aria-invalid=true]")
            }
            // Within the first minute: the page says when.
            try await chromium.press("form[action='/sign-in'] \(Chromium.submit)")
            _ = try await chromium.element("main:not(:has([aria-invalid=true])) input[name=code]")
            try await chromium.enterCode(code)
            _ = try await chromium.element("a[href*='token=']")
            try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
            #expect(try await chromium.attribute("lang", of: "html") == "de")

            try await chromium.visit(pair.origin + "/")
            _ = try await chromium.element(".tiles a[href]")
            try await chromium.clear("input[name=name]")
            try await chromium.type("\u{2800}", into: "input[name=name]")
            try await chromium.press("form[action='/name'] \(Chromium.submit)")
            _ = try await chromium.element("input[name=name][aria-invalid=true]")
            try await chromium.clear("input[name=name]")
            try await chromium.type(PageStates.rightToLeftUser, into: "input[name=name]")
            try await chromium.press("form[action='/name'] \(Chromium.submit)")
            _ = try await chromium.element("input[name=name]:not([aria-invalid])")
            #expect(try await chromium.attribute("value", of: "input[name=name]") == PageStates.rightToLeftUser)

            try await chromium.press("form[action='/sign-out'] \(Chromium.submit)")
            _ = try await chromium.element("a[href='/sign-in']")
            try await chromium.quit()
        }
    }
}
