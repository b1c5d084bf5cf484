import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("What users read when a sign-in cannot begin or go on", .program)
struct AuthorizePagesTests {
    @Test(
        "the page says what happened and what to do, in the language of the browser",
        .oneDeployment,
        arguments: [
            (
                SSOPath.authorize, "en", "This service isn&#39;t set up here",
                "Something is wrong with the link you followed."
            ),
            (SSOPath.authorize, "de", "Dieser Dienst ist hier nicht eingerichtet", "Mit dem Link stimmt etwas nicht."),
            (
                "\(SSOPath.complete)?flow=x", "en", "There is no sign\u{2011}in to continue",
                "Start again from the service"
            ),
            ("\(SSOPath.complete)?flow=x", "de", "Hier ist keine Anmeldung offen", "Beginnen Sie neu"),
        ])
    func texts(path: String, language: String, title: String, explanation: String) async throws {
        let deployment = try TestDeployment.shared()
        let page = try await deployment.browser().get(deployment.origin + path, [("Accept-Language", language)])
        #expect(page.status == (path == SSOPath.authorize ? 400 : 404))
        #expect(page.text.contains("<h1>\(title)</h1>") && page.text.contains(explanation))
        #expect(page.text.contains("<html lang=\"\(language)\">"))
    }
}
