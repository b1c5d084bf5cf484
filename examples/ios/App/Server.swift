import Foundation
import SSONative

/// The server and this app's callback, from Server.xcconfig through Info.plist.
enum Server {
    static let configuration: NativeConfiguration = {
        guard let server = url("SSOServer"), let callback = url("SSOCallback") else {
            preconditionFailure("Info.plist needs SSOServer and SSOCallback.")
        }
        do {
            // `signIn: .browser(method: "email")` signs in through the system browser instead of a page in the app.
            return try .identityProvider(server: server, callback: callback)
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// Overrides path-configuration.json, which is for the first start and for times without a connection.
    static var pathConfiguration: URL { configuration.startPage.appending(path: "configurations/ios_v1.json") }

    /// 200 or 401, and nothing else happens.
    static var sessionCheck: URL { configuration.startPage.appending(path: "api/v1/session/check") }

    private static func url(_ key: String) -> URL? {
        (Bundle.main.object(forInfoDictionaryKey: key) as? String).flatMap(URL.init(string:))
    }
}
