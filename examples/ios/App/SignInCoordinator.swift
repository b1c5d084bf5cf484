import HotwireNative
import OSLog
import SSONative
import UIKit
import WebKit

/// Carries out what the sign-in machine decides, and reports to it what happens.
@MainActor
final class SignInCoordinator: NSObject {
    private(set) lazy var navigator = Navigator(
        configuration: .init(name: "main", startLocation: configuration.startPage), delegate: self)
    private let configuration: NativeConfiguration
    private let store: any SecretStore
    private let browser = BrowserSession()
    private let logger = Logger(subsystem: "sso", category: "sign-in")
    private var machine: SignInMachine
    private var failedPage: URL?
    /// The sign-in is a page of the main navigation controller, and no modal.
    private var isSignInRoot = false

    init(_ configuration: NativeConfiguration, store: any SecretStore) {
        self.configuration = configuration
        self.store = store
        machine = SignInMachine(configuration, restoring: try? store.browserRequest())
        super.init()
        Hotwire.registerRouteDecisionHandlers([LinkHandler(self)])
        Hotwire.config.defaultNavigationController = { [weak self] in
            let controller = NavigationController()
            controller.onDismissal = { self?.leftSignIn(for: self?.navigator.rootViewController.topViewController) }
            return controller
        }
    }

    /// Opens the start page, and then the links that waited.
    func start() {
        navigator.rootViewController.delegate = self
        navigator.start()
        handle(.webViewReady)
    }

    func decide(_ url: URL) -> LinkPolicy.Decision { machine.decide(url) }

    func handle(_ event: SignInEvent) { machine.handle(event).forEach(perform) }

    /// On the return to the foreground: the session may have ended meanwhile. The web view asks, because URLSession does not
    /// have its cookies.
    func checkSession() {
        Task {
            let status = try? await navigator.activeWebView.callAsyncJavaScript(
                "return (await fetch(path)).status", arguments: ["path": Server.sessionCheck.path()],
                contentWorld: .page)
            // The page on the screen asks again, and its own 401 starts the sign-in.
            if status as? Int == 401, !machine.isSigningIn { navigator.reload() }
        }
    }

    private func perform(_ action: SignInAction) {
        switch action {
        case .load(let url):
            navigator.route(url)
            // Only for a relying party's app: this page redirects to another origin. Turbo's fetch cannot follow that, and
            // a whole page load can.
            if url.path == "/auth/sso/start" { navigator.reload() }
        case .showSignIn(let url): navigator.route(url)
        case .reset:
            navigator.clearAll(animated: false)
            openStartPage()
        case .openSystemBrowser(let url): UIApplication.shared.open(url)
        case .openBrowserSession(let url, let session): openBrowser(url, session)
        case .closeBrowserSession: browser.close()
        case .setPending(let pending):
            do { try store.setBrowserRequest(pending) } catch { logger.error("keychain: \(error)") }
        case .showError(let problem): show(problem)
        case .ignored(let reason): logger.notice("link ignored: \(reason.rawValue)")
        }
    }

    private func openStartPage() { navigator.route(configuration.startPage, options: VisitOptions(action: .replace)) }

    private func openBrowser(_ url: URL, _ session: UUID) {
        browser.open(url, callbackScheme: configuration.callback.scheme) { [weak self] callback in
            if let callback {
                self?.handle(.callback(callback, session: session))
            } else {
                self?.handle(.browserSessionCancelled(session))
            }
        }
    }

    private func show(_ problem: NativeSignInError) {
        let alert = UIAlertController(title: "Sign-in", message: problem.description, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default))
        navigator.activeNavigationController.present(alert, animated: true)
    }
}

extension SignInCoordinator: NavigatorDelegate {
    func visitableDidFailRequest(_ visitable: any Visitable, error: any Error, retryHandler: RetryBlock?) {
        let url = visitable.initialVisitableURL
        failedPage = url
        var status: Int?
        if let error = error as? TurboError, case .http(let code) = error { status = code }
        handle(status == 401 ? .unauthorized(url) : .pageFailed(url, status: status))
        if status != 401, let presenter = visitable as? any ErrorPresenter {
            presenter.presentError(error, retryHandler: retryHandler)
        }
    }

    func requestDidFinish(at url: URL) {
        // Also called after a failure.
        defer { failedPage = nil }
        if url != failedPage { handle(.pageShown(url)) }
    }
}

/// The sign-in may be a modal or the only page: the server's path configuration, which is loaded over the app's own, says
/// `replace_root`, and Hotwire Native on iOS then ignores `context: modal`. A modal is closed with "Done" or a gesture
/// (``NavigationController``). The only page has nothing below it: it gets a button that leads to the start page.
extension SignInCoordinator: UINavigationControllerDelegate {
    func navigationController(_ controller: UINavigationController, willShow page: UIViewController, animated: Bool) {
        let path = (page as? any Visitable)?.initialVisitableURL.path ?? ""
        let isSignIn = path == "/sign-in" || path.hasPrefix("/sign-in/")
        let wasSignIn = isSignInRoot
        isSignInRoot = isSignIn
        if isSignIn {
            page.navigationItem.leftBarButtonItem = UIBarButtonItem(
                systemItem: .cancel, primaryAction: UIAction { [weak self] _ in self?.openStartPage() })
        } else if wasSignIn {
            leftSignIn(for: page)
        }
    }

    /// The user gave the sign-in up, or it is complete: the machine learns that from the page itself.
    private func leftSignIn(for page: UIViewController?) {
        if (page as? any Visitable)?.initialVisitableURL.path != "/auth/sso/complete" { handle(.signInDismissed) }
    }
}

/// Tells when the user closes the sign-in page.
private final class NavigationController: HotwireNavigationController {
    var onDismissal: (() -> Void)?

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        if isBeingDismissed { onDismissal?() }
    }
}
