import Testing

@testable import IdPApps
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// RFC 8252 7: https links that an app claims, private schemes, loopback addresses.
@Suite("The apps of IDP_NATIVE_APPS", .program, .alsoOnPostgres)
struct NativeAppsTests {
    private static func read(_ text: String) throws -> (apps: NativeApps, warnings: [String]) {
        var warnings: [String] = []
        let apps = try NativeApps.read(text) { warnings.append($0) }
        return (apps, warnings)
    }

    static let good: [(uri: String, name: String, warns: Bool)] = [
        ("com.example.app:/callback", "com.example.app", false),
        ("com.example.app://callback", "com.example.app", false),
        ("com.example.app:/", "com.example.app", false),
        ("com.example.app:/callback?kept=1", "com.example.app", false),
        ("com.example-app.ios:/cb", "com.example-app.ios", false),
        ("myapp://callback", "myapp", true), ("myapp:/callback", "myapp", true), ("my-app+2://cb", "my-app+2", true),
        ("httpx://cb", "httpx", true), ("database://cb", "database", true), ("chromeless:/cb", "chromeless", true),
        ("https://app.example.com/native", "app.example.com", false),
        ("https://app.example.com:8443/native?x=%20", "app.example.com", false),
        ("https://app.example.com", "app.example.com", false),
        ("https://xn--bcher-kva.example/cb", "xn--bcher-kva.example", false),
        ("http://127.0.0.1:8123/cb", "127.0.0.1", false), ("http://localhost/cb", "localhost", false),
        ("http://[::1]:8123/cb", "::1", false),
    ]

    @Test("https, an app's own scheme and a loopback address are accepted; a scheme without a dot with a warning")
    func accepted() throws {
        for (uri, name, warns) in Self.good {
            let (apps, warnings) = try Self.read(uri)
            #expect(apps.all.map(\.redirectURI) == [uri], "\(uri)")
            #expect(apps.all.map(\.name) == [name], "\(uri)")
            #expect(warnings.count == (warns ? 1 : 0), "\(uri)")
            #expect(warnings.allSatisfy { $0.hasPrefix("IDP_NATIVE_APPS: ") && $0.contains(uri) }, "\(uri)")
            #expect(apps.app(uri.utf8)?.redirectURI == uri)
            #expect(apps.app((uri + "/").utf8) == nil && apps.app(uri.uppercased().utf8) == nil, "\(uri)")
        }
    }

    static let bad: [(String, String)] = malformed + foreign

    private static let foreign: [(String, String)] =
        foreignSchemes.flatMap { ["\($0):/cb", "\($0)://cb"] }.map { ($0, "not an app's own") }

    private static let foreignSchemes = [
        "javascript", "data", "intent", "file", "content", "blob", "about", "filesystem", "vbscript", "view-source",
        "ws", "wss", "ftp", "mailto", "tel", "sms", "market", "chrome", "chrome-extension", "android-app", "itms-apps",
        "ms-settings", "x-apple", "moz-extension", "ssh", "ldap", "jar", "hotwire",
    ]

    private static let malformed: [(String, String)] =
        [
            ("http://app.example.com/cb", "must be https"), ("http://128.0.0.1/cb", "must be https"),
            ("http://localhost.evil.example/cb", "must be https"), ("/callback", "absolute"), ("callback", "absolute"),
            ("https:", "host"), ("https:///cb", "host"), ("https:/cb", "host"),
            ("com.example.app:callback", "slash"), ("com.example.app:", "slash"), ("myapp:", "slash"),
            ("myapp:cb", "slash"), ("Com.Example.App:/cb", "upper case"), ("MYAPP://cb", "upper case"),
            ("HTTPS://app.example.com/cb", "upper case"),
            ("com.example.app:/cb#x", "fragment"), ("com.example.app:/cb#", "fragment"),
            ("https://app.example.com/#", "fragment"), ("https://user@app.example.com/cb", "user name"),
            ("https://user:secret@app.example.com/cb", "user name"), ("com.example.app://user@cb", "user name"),
            (#"https://evil.example\@app.example.com/cb"#, ""), ("com.example.app:/c b", "without spaces"),
            ("com.example.app:/cb\tx", "without spaces"), ("com.example.app:/cb\r\nX", "without spaces"),
            ("com.example.app:/cb\u{0}", "without spaces"), ("com.example.app:/caf\u{e9}", "ASCII"),
            ("https://b\u{fc}cher.example/cb", "ASCII"), ("com.example.\u{430}pp:/cb", "ASCII"),
            ("com.example.app:/*", "wildcard"), ("https://*.example.com/cb", "wildcard"),
            ("com.example.app:/%zz", "hexadecimal"), ("https://app.example.com:0/cb", "port"),
            ("https://app.example.com:/cb", "port"), ("com.example.app:/<cb>", "percent-encoded"),
            ("com.example.app:/cb?code=x", "adds these itself"),
            ("com.example.app:/cb?new_user=x", "adds these itself"),
            ("com.example.app:/cb?a=1&error=x", "adds these itself"),
            ("com.example.app:/cb?error_description=x", "adds these itself"),
            ("com.example.app:/cb?state=x", "adds these itself"), ("com.example.app:/cb?CODE", "adds these itself"),
            ("https://app.example.com/?%63ode=x", "adds these itself"),
            ("com.example.app:/" + String(repeating: "x", count: 2000), "2000 bytes"),
            ("com.example.app:/cb, com.example.app:/cb", "appears twice"),
            ("com.example.app:/cb,x:/cb,javascript:x", "not an app's own"),
            ("javascript:alert(1)", "not an app's own"), ("intent:x;end", "not an app's own"),
            ("data:text/html,x", "not an app's own"), ("about:blank", "not an app's own"),
            ("mailto:a", "not an app's own"),
        ]

    @Test("anything else is refused, and the problem says why", arguments: bad)
    func refused(text: String, words: String) {
        let error = #expect(throws: SettingError.self) { _ = try Self.read(text) }
        #expect(words.isEmpty || error?.description.contains(words) == true, "\(error?.description ?? "")")
        let reader = SettingsFixture.read(.idp, ["IDP_NATIVE_APPS": text])
        #expect(reader.problems.count == 1 && reader.problems.first?.hasPrefix("IDP_NATIVE_APPS: ") == true)
    }

    @Test("a list keeps its order; blanks around an item and empty items do not matter")
    func list() throws {
        let (apps, warnings) = try Self.read(" com.example.app:/a ,, https://app.example.com/b,myapp:/c ,")
        #expect(apps.all.map(\.redirectURI) == ["com.example.app:/a", "https://app.example.com/b", "myapp:/c"])
        #expect(warnings.count == 1)
        #expect(try Self.read("").apps.all.isEmpty && Self.read(" , ").apps.all.isEmpty)
    }

    @Test("after = stands the name that users see; the first = of a field in a query belongs to the URI")
    func names() throws {
        let cases: [(item: String, uri: String, id: String, name: String)] = [
            ("com.example.app:/callback=Nordlicht", "com.example.app:/callback", "com.example.app", "Nordlicht"),
            ("com.example.app:/cb=Ben & Jerry = x ", "com.example.app:/cb", "com.example.app", "Ben & Jerry = x"),
            ("com.example.app:/cb=Who?", "com.example.app:/cb", "com.example.app", "Who?"),
            ("https://a.example/cb?kept=1=The App", "https://a.example/cb?kept=1", "a.example", "The App"),
            ("https://a.example/cb?a=1&b=2=x=y", "https://a.example/cb?a=1&b=2", "a.example", "x=y"),
            ("https://a.example/cb?a=1&b=2", "https://a.example/cb?a=1&b=2", "a.example", "a.example"),
        ]
        for (item, uri, id, name) in cases {
            let app = try #require(try Self.read(item).apps.all.first, "\(item)")
            #expect(app.redirectURI == uri && app.id == id && app.name == name, "\(item)")
        }
        let longName = String(repeating: "x", count: 81)
        for (item, words) in [
            ("com.example.app:/cb=", "must not be empty"), ("com.example.app:/cb=\(longName)", "at most 80"),
            ("com.example.app:/cb=a\u{202e}b", "visible"), ("com.example.app:/cb=A,com.example.app:/cb=B", "twice"),
        ] {
            let error = #expect(throws: SettingError.self) { _ = try Self.read(item) }
            #expect(error?.description.contains(words) == true, "\(item): \(error?.description ?? "")")
        }
    }

    @Test("the sign-in page, the email and the question have the app's name; only the question and the log have its id")
    func shown() async throws {
        let settings = ["IDP_NATIVE_APPS": "\(HandoffApp.redirect)=Nordlicht"]
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = deployment.browser()
            let form = try await deployment.app().begin(in: browser)
            #expect(form.text.contains("Nordlicht") && !form.text.contains("com.example.app"))
            _ = try await browser.ask(for: "ann@example.com", on: form)
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.text.contains("Nordlicht") && !email.text.contains("com.example.app"))
            let signedIn = try await deployment.signedIn(as: "bob@example.com")
            let question = try await deployment.app().begin(in: signedIn)
            #expect(question.text.contains("Nordlicht") && question.text.contains("<bdi>com.example.app</bdi>"))
            #expect(deployment.log.contains("\"app\": com.example.app"))
            #expect(!deployment.log.contains("\"app\": Nordlicht"))
        }
    }

    @Test("`idp check` shows the setting, its warning, and all problems of the list at once")
    func check() {
        let reader = SettingsFixture.read(.idp, ["IDP_NATIVE_APPS": "com.example.app:/cb, myapp:/cb"])
        #expect(reader.problems.isEmpty && reader.warnings.count == 1)
        #expect(reader.lines.contains { $0.name == "IDP_NATIVE_APPS" && $0.shown == "com.example.app:/cb, myapp:/cb" })
        let bad = SettingsFixture.read(.idp, ["IDP_NATIVE_APPS": "tel:/cb, http://app.example.com/cb"])
        #expect(bad.problems.count == 1)
        #expect(bad.problems.first?.contains("tel:/cb") == true && bad.problems.first?.contains("http://app") == true)
    }

    @Test("an app begins with the email, and with no other name of a method")
    func methods() async throws {
        try await TestDeployment.withEveryMethod(settings: HandoffApp.settings) { deployment in
            let start = try deployment.app().start
            #expect(try await deployment.browser().get(start).status == 200)
            for other in ["email_code", "email_link", "email_reply", "one_click"] {
                let address = start.replacing("/auth/native/email", with: "/auth/native/\(other)")
                #expect(try await deployment.browser().get(address).status == 404, "\(other)")
            }
        }
    }
}
