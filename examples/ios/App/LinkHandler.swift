import HotwireNative
import SSONative
import UIKit

/// Asks the machine about every URL that a page or the app wants to visit. It is the only handler: without its consent
/// nothing opens, inside or outside.
final class LinkHandler: RouteDecisionHandler {
    let name = "sso"
    private weak var coordinator: SignInCoordinator?

    init(_ coordinator: SignInCoordinator) { self.coordinator = coordinator }

    func matches(location: URL, configuration: Navigator.Configuration) -> Bool { true }

    func handle(
        location: URL, configuration: Navigator.Configuration, navigator: Navigator
    ) -> Router.Decision {
        // Hotwire Native calls its handlers on the main thread.
        MainActor.assumeIsolated {
            guard let coordinator else { return .cancel }
            if coordinator.decide(location) == .webView { return .navigate }
            // Not inside this call: a reset changes the pages that the navigator is working on.
            Task { coordinator.handle(.pageRequested(location)) }
            return .cancel
        }
    }
}
