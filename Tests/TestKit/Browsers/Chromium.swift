import Foundation

/// One real browser with a fresh profile, used as a user does: it opens pages, types and clicks.
final class Chromium: Sendable {
    private let driver: WebDriver
    private let session: String
    private let javaScript: Bool

    /// The key of an element reference in W3C WebDriver.
    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    /// - Parameters:
    ///   - userAgent: sent instead of Chromium's own.
    ///   - profile: the folder that keeps cookies after the browser has ended; nil for a profile of this object alone.
    ///   - ports: where an origin's connections really go: the authority, such as `localhost:8080`, and a port on loopback.
    init(
        javaScript: Bool = true, dark: Bool = false, width: Int = 1_280, height: Int = 900, userAgent: String? = nil,
        profile: String? = nil, connecting ports: [String: UInt16] = [:]
    ) async throws {
        self.javaScript = javaScript
        driver = try await WebDriver()
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
            // As on a phone: scroll bars take no space.
            "--hide-scrollbars",
        ]
        if let userAgent { arguments.append("--user-agent=\(userAgent)") }
        if let profile { arguments.append("--user-data-dir=\(profile)") }
        let rules = ports.sorted { $0.key < $1.key }.map { "MAP \($0.key) 127.0.0.1:\($0.value)" }
        if !rules.isEmpty { arguments.append("--host-resolver-rules=" + rules.joined(separator: ", ")) }
        var options: [String: JSONValue] = [
            "binary": .string(WebDriver.chromium ?? ""), "args": .array(arguments.map(JSONValue.string)),
        ]
        if !javaScript { options["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
        let capabilities: JSONValue = [
            "capabilities": ["alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": .object(options)]]
        ]
        let answer = try await driver.command("POST", "/session", capabilities)
        guard let session = answer["sessionId"]?.text else { throw ProbeFailure("no session: \(answer)") }
        self.session = session
        try await resize(width: width, height: height)
        if dark { try await preferDark() }
    }

    /// Closes the browser and its driver. Without this call the driver still ends, but its browser runs a
    /// moment longer.
    func quit() async throws {
        _ = try? await driver.command("DELETE", "/session/\(session)")
        try await driver.stop()
    }

    // MARK: Navigation

    func visit(_ address: String) async throws { _ = try await post("url", ["url": .string(address)]) }
    func back() async throws { _ = try await post("back") }
    func forward() async throws { _ = try await post("forward") }
    func reload() async throws { _ = try await post("refresh") }
    func address() async throws -> String { try await get("url").text ?? "" }
    func title() async throws -> String { try await get("title").text ?? "" }
    /// The HTML of the current page.
    func source() async throws -> String { try await get("source").text ?? "" }
    /// The visible text; that of the next page if this one gives way to it meanwhile.
    func text() async throws -> String {
        try await eventually("text on the page") {
            do {
                return try await text(of: element("body"))
            } catch let failure as ProbeFailure where Self.isGone(failure) { return nil }
        }
    }

    // MARK: Elements

    func elements(_ css: String) async throws -> [String] {
        try await post("elements", ["using": "css selector", "value": .string(css)]).items
            .compactMap { $0[Self.elementKey]?.text }
    }

    /// Waits for the first match, as a user waits for a page.
    func element(_ css: String, within limit: Duration = TestTimeout.limit) async throws -> String {
        try await eventually("\(css) on the page", within: limit) { try await elements(css).first }
    }

    /// Does something with the first match. Finds it again when a new page has taken the place of the one with it: the driver
    /// has done nothing to an element that it does not find.
    private func withElement<Result: Sendable>(
        _ css: String, _ act: (String) async throws -> Result
    ) async throws -> Result {
        try await eventually("\(css) on a page that stays") {
            do {
                return try await act(element(css))
            } catch let failure as ProbeFailure where Self.isGone(failure) { return nil }
        }
    }

    /// Whether the page of an element has given way to another one, as the driver and its browser say it.
    private static func isGone(_ failure: ProbeFailure) -> Bool {
        ["stale element", "does not belong to the document"].contains { "\(failure)".contains($0) }
    }

    func type(_ text: String, into css: String) async throws {
        _ = try await withElement(css) { try await post("element/\($0)/value", ["text": .string(text)]) }
    }

    /// Types the code: the page sends it at the sixth digit, or without JavaScript by its button.
    func enterCode(_ code: String) async throws {
        try await type(code, into: "input[name=code]")
        if !javaScript { try await press("form:has(input[name=code]) button") }
    }

    func press(_ css: String) async throws {
        _ = try await withElement(css) { try await post("element/\($0)/click") }
    }

    func text(of element: String) async throws -> String { try await get("element/\(element)/text").text ?? "" }

    func attribute(_ name: String, of css: String) async throws -> String? {
        // In an array, because an element without the attribute is found as well.
        try await withElement(css) { [try await get("element/\($0)/attribute/\(name)").text] }.first ?? nil
    }

    func clear(_ css: String) async throws {
        _ = try await withElement(css) { try await post("element/\($0)/clear") }
    }

    /// Two clicks at once, the second before the first can have been answered.
    func pressTwice(_ css: String) async throws {
        let target: JSONValue = [.init(stringLiteral: Self.elementKey): .string(try await element(css))]
        let move: JSONValue = ["type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": target]
        let (down, up): (JSONValue, JSONValue) = (
            ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0]
        )
        _ = try await post(
            "actions", ["actions": [["type": "pointer", "id": "mouse", "actions": [move, down, up, down, up]]]])
    }

    // MARK: Tabs, appearance, cookies

    /// Opens a tab, loads the address there, and returns its handle.
    func openTab() async throws -> String {
        let handle = try await post("window/new", ["type": "tab"])["handle"]?.text ?? ""
        try await switchTo(handle)
        return handle
    }

    /// Closes the tab and continues in an empty one.
    func replaceTab() async throws {
        let next = try await post("window/new", ["type": "tab"])["handle"]?.text ?? ""
        _ = try await driver.command("DELETE", "/session/\(session)/window")
        try await switchTo(next)
    }

    /// The handles of all tabs.
    func tabs() async throws -> [String] { try await get("window/handles").items.compactMap(\.text) }

    /// Acts inside a frame of the page, and returns to the page.
    func inFrame(_ css: String, _ act: () async throws -> Void) async throws {
        let frame: JSONValue = [.init(stringLiteral: Self.elementKey): .string(try await element(css))]
        _ = try await post("frame", ["id": frame])
        try await act()
        _ = try await post("frame", ["id": .null])
    }

    func tab() async throws -> String { try await get("window").text ?? "" }
    func switchTo(_ handle: String) async throws { _ = try await post("window", ["handle": .string(handle)]) }

    /// - Parameter scale: device pixels per CSS pixel: 2 is a zoom of 200 %.
    func resize(width: Int, height: Int, scale: Double = 1) async throws {
        // Not the window's size: a desktop window has a minimum width, a phone's page does not.
        try await develop(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(width)), "height": .number(Double(height)),
                "deviceScaleFactor": .number(scale), "mobile": false,
            ])
    }

    func preferDark() async throws { try await show(colors: .dark) }

    /// The colours that the user has chosen in the system.
    enum Colors: String, Sendable { case light, dark, forced }

    func show(colors: Colors) async throws {
        let scheme: JSONValue = [
            "name": "prefers-color-scheme", "value": .string(colors == .dark ? "dark" : "light"),
        ]
        let forced: JSONValue = ["name": "forced-colors", "value": .string(colors == .forced ? "active" : "none")]
        try await develop("Emulation.setEmulatedMedia", ["features": [scheme, forced]])
    }

    /// Asks for pages in this language from now on.
    func prefer(language: String) async throws {
        try await develop("Network.enable", .object([:]))
        try await develop(
            "Network.setExtraHTTPHeaders", ["headers": ["Accept-Language": .string(language)]])
    }

    /// Runs a script at the start of every page from now on, whatever the page's content security policy says.
    func addToEveryPage(_ script: String) async throws {
        try await develop("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
    }

    /// The page as a PNG.
    func screenshot() async throws -> Data {
        guard let text = try await get("screenshot").text, let data = Data(base64Encoded: text) else {
            throw ProbeFailure("no screenshot")
        }
        return data
    }

    /// The whole page as a PNG, also what is below the window.
    func fullScreenshot() async throws -> Data {
        let answer = try await develop("Page.captureScreenshot", ["captureBeyondViewport": true])
        guard let text = answer["data"]?.text, let data = Data(base64Encoded: text) else {
            throw ProbeFailure("no screenshot")
        }
        return data
    }

    func cookies() async throws -> [JSONValue] { try await get("cookie").items }

    struct Cookie: Sendable {
        let name, value, host: String
        /// In seconds since 1970. Nil: the cookie ends with the browser.
        let expires: Double?
    }

    /// The cookies of all hosts.
    func allCookies() async throws -> [Cookie] {
        let cookies = try await develop("Storage.getCookies", .object([:]))["cookies"]?.items ?? []
        return cookies.map { cookie in
            let isKept = cookie["session"] == .bool(false)
            return Cookie(
                name: cookie["name"]?.text ?? "", value: cookie["value"]?.text ?? "",
                host: cookie["domain"]?.text ?? "", expires: isKept ? cookie["expires"]?.number : nil)
        }
    }

    /// Puts a cookie of an origin into the browser, as an app does with one that its own request has received.
    ///
    /// - Parameter header: a value of `Set-Cookie`.
    func setCookie(_ header: String, at origin: String) async throws {
        let parts = header.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let pair = parts.first?.split(separator: "=", maxSplits: 1) ?? []
        guard pair.count == 2 else { throw ProbeFailure("not a cookie: \(header)") }
        var cookie: [String: JSONValue] = [
            "name": .string(String(pair[0])), "value": .string(String(pair[1])), "url": .string(origin), "path": "/",
            "httpOnly": true, "sameSite": "Lax",
        ]
        if let age = parts.first(where: { $0.lowercased().hasPrefix("max-age=") }),
            let seconds = Double(age.dropFirst(8))
        {
            cookie["expires"] = .number(Date().timeIntervalSince1970 + seconds)
        }
        try await develop("Network.setCookie", .object(cookie))
    }

    /// A command of the DevTools protocol.
    @discardableResult
    func develop(_ command: String, _ parameters: JSONValue) async throws -> JSONValue {
        try await post("goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    /// Runs a script of the test (also when the page's scripts are disabled), and waits for a promise that it returns.
    func run(_ script: String) async throws -> JSONValue {
        try await post("execute/sync", ["script": .string(script), "args": []])
    }

    /// Waits until the address fulfils a condition.
    @discardableResult
    func arrive(
        _ what: String, within limit: Duration = TestTimeout.limit, _ condition: (String) -> Bool
    ) async throws -> String {
        do {
            return try await eventually(what, within: limit, every: .milliseconds(30)) {
                let address = try await address()
                return condition(address) ? address : nil
            }
        } catch {
            throw ProbeFailure("\(error); still at \((try? await address()) ?? ""): \((try? await text()) ?? "")")
        }
    }

    func get(_ path: String) async throws -> JSONValue {
        try await driver.command("GET", "/session/\(session)/\(path)")
    }

    func post(_ path: String, _ body: JSONValue = .object([:])) async throws -> JSONValue {
        try await driver.command("POST", "/session/\(session)/\(path)", body)
    }
}
