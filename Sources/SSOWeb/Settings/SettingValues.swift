/// Where a program binds: `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8080`. Port 0 lets the system choose.
public struct ListenAddress: Sendable, CustomStringConvertible {
    /// A name or an address, without the brackets of IPv6.
    public let host: String
    /// 0 to 65535.
    public let port: Int
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// - Throws: ``SettingError`` when it is not host, colon, port.
    public init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port), text[text.index(after: colon)...].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { throw SettingError("\"\(text)\" is no address to bind. Give host and port: 127.0.0.1:8080") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw SettingError("\"\(text)\" names no host. Give host and port: 127.0.0.1:8080")
        }
        self.host = String(host)
        self.port = port
    }
}

/// `sqlite:PATH`: where a program keeps its rows.
public struct DatabaseLocation: Sendable, CustomStringConvertible {
    /// The file, relative to the working folder unless it begins with a slash.
    public let path: String
    public var description: String { "sqlite:\(path)" }

    /// - Throws: ``SettingError`` for anything but `sqlite:` and a path.
    public init(_ text: String) throws {
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else {
            throw SettingError("\"\(text.prefix { $0 != ":" }):…\" is no database this version knows. Give sqlite:PATH")
        }
        let path = String(text.dropFirst(7))
        // SQLite has its own ideas of these: no file, or an address of one.
        guard path != ":memory:", !path.hasPrefix("file:"), !path.hasPrefix("//") else {
            throw SettingError("\"\(text)\" names no file. Give sqlite:PATH, with one slash at most at its start.")
        }
        self.path = path
    }
}

/// How long a program that got SIGTERM still takes connections, so that proxies have time to look elsewhere.
public struct ShutdownGrace: Sendable {
    static let setting = "SHUTDOWN_GRACE"
    /// The time.
    public let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    /// Reads `2s` or `500ms`.
    ///
    /// - Throws: ``SettingError``.
    init(_ text: String) throws {
        let fault = SettingError("\"\(text)\" must be a time from 0s to 60s, such as 2s or 500ms.")
        let unit = text.hasSuffix("ms") ? "ms" : "s"
        guard text.hasSuffix(unit), text.utf8.allSatisfy({ $0 < 0x80 }), let number = Int(text.dropLast(unit.count)),
            text.first?.isNumber == true
        else { throw fault }
        duration = unit == "ms" ? .milliseconds(number) : .seconds(number)
        guard duration <= .seconds(60) else { throw fault }
    }

    /// Asks for the setting; nil when `reader` holds a problem.
    static func read(_ reader: SettingsReader) -> Self? {
        reader.value(setting, default: "2s") { try Self($0) }
    }
}
