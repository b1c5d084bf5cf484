import Foundation
import Testing

@testable import SSONative

/// A machine with a clock of its own, and short names for what tests look at.
struct MachineSteps {
    var machine: SignInMachine
    var now = Date(timeIntervalSince1970: 1_790_000_000)

    init(_ configuration: NativeConfiguration, restoring pending: BrowserRequest? = nil, isReady: Bool = true) {
        machine = SignInMachine(configuration, restoring: pending)
        if isReady { _ = machine.handle(.webViewReady, at: now) }
    }

    mutating func handle(_ event: SignInEvent) -> [SignInAction] { machine.handle(event, at: now) }

    /// Starts a browser session and returns what the app stores and opens.
    mutating func open(_ event: SignInEvent) throws -> (pending: BrowserRequest, url: URL, actions: [SignInAction]) {
        let actions = handle(event)
        let pending = try #require(
            actions.compactMap { if case .setPending(let pending) = $0 { pending } else { nil } }.last)
        for case .openBrowserSession(let url, let session) in actions {
            #expect(session == pending.id)
            return (pending, url, actions)
        }
        throw Missing()
    }

    struct Missing: Error {}

    /// Opens a handoff by email.
    mutating func openHandoff() throws -> BrowserRequest { try open(.signInRequested(method: "email")).pending }

    /// The callback with a code.
    static func callback(_ code: String = Apps.code) throws -> URL {
        try Apps.callback("com.example.app:/callback?code=\(code)&new_user=false")
    }
}

/// A URL of the identity provider.
func idp(_ path: String) throws -> URL { try #require(URL(string: "https://idp.example.com" + path)) }

/// A URL of the relying party.
func rp(_ path: String) throws -> URL { try #require(URL(string: "https://rp.example.net" + path)) }
