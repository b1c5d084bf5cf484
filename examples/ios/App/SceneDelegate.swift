import UIKit

/// Reports to the coordinator what the system brings: links, and the return to the foreground.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let coordinator = SignInCoordinator(Server.configuration, store: KeychainStore())

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = coordinator.navigator.rootViewController
        window.makeKeyAndVisible()
        self.window = window
        // Cold start by a universal link: it waits in the machine until the web view is ready.
        connectionOptions.userActivities.forEach(open)
        coordinator.start()
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { open(userActivity) }

    func sceneWillEnterForeground(_ scene: UIScene) { coordinator.checkSession() }

    private func open(_ activity: NSUserActivity) {
        guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else { return }
        coordinator.handle(.linkOpened(url))
    }
}
