import HTTPTypes
package import Hummingbird
package import SSOWeb

/// The kind of device that sent a request, for the email: enough for users to recognise their own. Never the User-Agent
/// itself, which can contain any text. The raw value is stored and never changes.
package enum DeviceKind: String, CaseIterable {
    case iPhone = "iphone"
    case iPad = "ipad"
    case android
    case windows
    case mac
    case chromebook
    case linux
    case unknown

    package init(userAgent: String?) {
        let text = (userAgent ?? "").prefix(512).lowercased()
        let kinds: [(String, DeviceKind)] = [
            ("iphone", .iPhone), ("ipad", .iPad), ("android", .android), ("windows", .windows), ("mac os x", .mac),
            ("cros", .chromebook), ("linux", .linux),
        ]
        self = kinds.first { text.contains($0.0) }?.1 ?? .unknown
    }

    /// "a Linux computer", in the language of the texts.
    package static func words(for stored: String, _ texts: Texts) -> String {
        texts.plain((DeviceKind(rawValue: stored) ?? .unknown).words)
    }

    private var words: Text { Text("mail.device-\(rawValue)") }

    /// "Linux computer", for a list of devices.
    package var name: Text { Text("device-kind.\(rawValue)") }
}

extension ChangeOrigin {
    /// The browser or app of a user.
    package init(_ request: Request) {
        self.init(
            language: .preferred(by: request), device: DeviceKind(userAgent: request.headers[.userAgent]).rawValue)
    }
}
