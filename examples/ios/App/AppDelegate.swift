import HotwireNative
import UIKit
import WebKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        var sources: [PathConfiguration.Source] = [.server(Server.pathConfiguration)]
        if let file = Bundle.main.url(forResource: "path-configuration", withExtension: "json") {
            sources.insert(.file(file), at: 0)
        }
        Hotwire.loadPathConfiguration(from: sources)
        Hotwire.config.showDoneButtonOnModals = true
        Hotwire.config.makeCustomWebView = { configuration in
            Turbo.add(to: configuration)
            let webView = WKWebView(frame: .zero, configuration: configuration)
            // A preview on a long press would load a sign-in link before the user asked for it.
            webView.allowsLinkPreview = false
            return webView
        }
        return true
    }
}

/// The server's pages work without a JavaScript framework. Hotwire Native needs Turbo on each page, so the app brings it
/// along (turbo.js, see README.md).
private enum Turbo {
    static func add(to configuration: WKWebViewConfiguration) {
        guard let file = Bundle.main.url(forResource: "turbo", withExtension: "js"),
            let source = try? String(contentsOf: file, encoding: .utf8)
        else { return assertionFailure("turbo.js is missing in the app: see README.md") }
        configuration.userContentController.addUserScript(
            WKUserScript(source: source, injectionTime: .atDocumentEnd, forMainFrameOnly: true))
    }
}
