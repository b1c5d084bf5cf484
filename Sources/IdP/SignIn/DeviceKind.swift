/// Names the kind of device a request comes from, for the letter: enough to recognise oneself, and never the
/// User-Agent itself, which anybody may fill with anything.
enum DeviceKind {
    static func name(userAgent: String?) -> String {
        guard let text = userAgent?.prefix(512).lowercased() else { return "unknown device" }
        let kinds = [
            ("iphone", "iPhone"), ("ipad", "iPad"), ("android", "Android device"), ("windows", "Windows computer"),
            ("mac os x", "Mac"), ("cros", "Chromebook"), ("linux", "Linux computer"),
        ]
        return kinds.first { text.contains($0.0) }?.1 ?? "unknown device"
    }
}
