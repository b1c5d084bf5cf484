import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A language that runs from right to left", .program)
struct RightToLeftTests {
    @Test("turns pages and emails round, and leaves those of other languages as they are")
    func arabic() async throws {
        let languages = try TemporaryFolder()
        let folder = try languages.folder("ar")
        for (file, text) in [
            ("language", #"{"name": "العربية"}"#),
            ("texts", #"{"sign-in.title": "تسجيل الدخول", "mail.intro": "رمزك لتسجيل الدخول إلى {service}:"}"#),
        ] { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file).json")) }
        try await TestDeployment.open(settings: ["IDP_LANGUAGES_DIR": languages.path]) { deployment in
            let browser = deployment.browser(language: "ar")
            let form = try await browser.beginSignIn(at: deployment.client)
            #expect(form.text.contains("<html lang=\"ar\" dir=\"rtl\">") && form.text.contains("تسجيل الدخول"))
            _ = try await browser.ask(for: "ann@example.com", on: form)
            let email = try await deployment.mailbox.email(to: "ann@example.com").text.decodingQuotedPrintable()
            #expect(email.contains("<html lang=\"ar\" dir=\"rtl\">") && email.contains("رمزك"))
            #expect(email.contains("align=\"right\"") && !email.contains("align=\"left\""))
            let english = try await deployment.browser(language: "en").beginSignIn(at: deployment.client)
            #expect(!english.text.contains("dir=\"rtl\""))
        }
    }
}
