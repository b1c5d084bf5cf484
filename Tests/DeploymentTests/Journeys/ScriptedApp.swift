import Foundation
import SSONative
import Synchronization

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// A Hotwire Native app without a screen, over the library `SSONative`.
///
/// Its web view is a Chromium with cookies of its own and the User-Agent of such an app. The library decides about every
/// navigation; the script only reports events and carries out actions, as the code in examples/ios does. The app can be
/// killed and launched again: its persistent cookies and its stored secrets remain, everything else is gone.
final class ScriptedApp: Sendable {
    let configuration: NativeConfiguration
    let system: SystemBrowser
    private let origins: [String]
    private let folder: TemporaryFolder
    /// As the keychain.
    private let secrets = InMemorySecretStore()
    private let proxy: NavigationProxy
    private let memory: Memory

    /// What happened since the launch.
    struct Record: Sendable {
        /// What the web view has shown or tried to show, refused navigations left out.
        var navigations: [String] = []
        /// What the system browser was asked to open, sessions of the browser left out.
        var opened: [String] = []
        var problems: [NativeSignInError] = []
        var ignored: [LinkPolicy.Reason] = []
        var resets = 0
        var isSignInShown = false
        /// The browser session that has not come back.
        var session: UUID?
    }

    /// Shared with the proxy.
    private final class Memory: Sendable {
        struct Content {
            var machine: SignInMachine
            var view: Chromium?
            /// Of the web view, in order, not handled yet.
            var events: [SignInEvent] = []
            var record = Record()
        }

        let content: Mutex<Content>

        init(_ machine: SignInMachine) { content = Mutex(Content(machine: machine)) }
    }

    /// - Parameter origins: of every server that the device can reach.
    init(_ configuration: NativeConfiguration, _ system: SystemBrowser, _ origins: [String]) throws {
        let memory = Memory(SignInMachine(configuration))
        (self.configuration, self.system, self.origins, self.memory) = (configuration, system, origins, memory)
        folder = try TemporaryFolder()
        proxy = try NavigationProxy(isAllowed: { address in
            memory.content.withLock { Self.decide(address, &$0) }
        }) { answer in
            memory.content.withLock { Self.report(answer, &$0) }
        }
    }

    var home: String { "\(configuration.server)/" }
    var record: Record { memory.content.withLock { $0.record } }
    var view: Chromium {
        get throws {
            guard let view = memory.content.withLock({ $0.view }) else { throw ProbeFailure("the app does not run") }
            return view
        }
    }

    // MARK: The process

    /// Starts the app, by its icon or by links that the system hands over before a web view exists.
    func launch(opening links: URL...) async throws {
        let machine = SignInMachine(configuration, restoring: try secrets.browserRequest())
        memory.content.withLock { $0 = Memory.Content(machine: machine) }
        for link in links { try await handle(.linkOpened(link)) }
        let view = try await Chromium(
            userAgent: Browser.shellUserAgent, profile: folder.folder("profile"), connecting: proxy.ports(of: origins))
        memory.content.withLock { $0.view = view }
        try await view.visit(home)
        try await handle(.webViewReady)
        try await settle()
    }

    /// Ends the app as the system does at any time.
    func kill() async throws {
        try await view.quit()
        memory.content.withLock { $0 = Memory.Content(machine: SignInMachine(configuration)) }
    }

    /// Removes everything from the keychain.
    func forgetSecrets() throws { try secrets.setBrowserRequest(nil) }

    // MARK: Events and actions

    /// Reports an event and carries out what follows from it.
    func handle(_ event: SignInEvent) async throws {
        let actions = memory.content.withLock { $0.machine.handle(event, at: Date()) }
        for action in actions { try await perform(action) }
    }

    /// Handles what the web view has reported.
    func settle() async throws {
        while let event = memory.content.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) {
            try await handle(event)
        }
    }

    /// Runs the app until a condition holds.
    func run(until what: String, _ condition: (Record) async throws -> Bool) async throws {
        do {
            try await eventually(what, every: .milliseconds(30)) { () -> Void? in
                try await settle()
                return try await condition(record) ? () : nil
            }
        } catch {
            let page = "\((try? await view.address()) ?? ""): \((try? await view.text()) ?? "")"
            throw ProbeFailure("\(error); \(record); at \(page)")
        }
    }

    private func perform(_ action: SignInAction) async throws {
        switch action {
        case .load(let url): try await view.visit(url.absoluteString)
        case .showSignIn(let url):
            change { $0.isSignInShown = true }
            try await view.visit(url.absoluteString)
        case .reset:
            try await view.visit(home)
            change {
                $0.isSignInShown = false
                $0.resets += 1
            }
        case .openSystemBrowser(let url):
            change { $0.opened.append(url.absoluteString) }
            try await system.page.visit(url.absoluteString)
        case .openBrowserSession(let url, let session):
            change { $0.session = session }
            try await system.page.visit(url.absoluteString)
        case .closeBrowserSession: try await system.page.visit("about:blank")
        case .setPending(let pending): try secrets.setBrowserRequest(pending)
        case .showError(let problem): change { $0.problems.append(problem) }
        case .ignored(let reason): change { $0.ignored.append(reason) }
        }
    }

    private func change(_ body: (inout Record) -> Void) { memory.content.withLock { body(&$0.record) } }

    // MARK: The delegate of the web view

    private static func decide(_ address: String, _ content: inout Memory.Content) -> Bool {
        guard let url = URL(string: address) else { return false }
        switch content.machine.decide(url) {
        // The page at which the app recognises a sign-in is loaded, and reported when it is shown.
        case .webView, .reset:
            content.record.navigations.append(address)
            return true
        case .systemBrowser, .browserSession, .ignore:
            content.events.append(.pageRequested(url))
            return false
        }
    }

    private static func report(_ answer: NavigationProxy.Answer, _ content: inout Memory.Content) {
        guard let url = URL(string: answer.address) else { return }
        switch answer.status {
        case 200..<300: content.events.append(.pageShown(url))
        case 401: content.events.append(.unauthorized(url))
        case 400...: content.events.append(.pageFailed(url, status: answer.status))
        default: break
        }
    }
}
