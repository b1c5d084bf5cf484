/// How long the sessions of a program last: `IDP_SESSION_LIFETIME`, `IDP_SESSION_IDLE`, `IDP_REMEMBER`, and the first two of the
/// relying party.
public struct SessionSettings: ReadableSetting {
    private let lifetime, idle: Setting<Duration>
    private let remember: Setting<Duration?>?
    private let appAbsolute: Duration?

    /// - Parameters:
    ///   - program: how the names begin: `IDP`.
    ///   - idle: the default for a session without a request.
    ///   - remember: the default for users who ask to stay signed in; nil for a program that has no such choice.
    ///   - appAbsolute: as in ``SessionLifetime``.
    public init(_ program: String, idle: String, remember: String? = nil, appAbsolute: Duration? = nil) {
        self.appAbsolute = appAbsolute
        lifetime = Setting(
            "\(program)_SESSION_LIFETIME", default: "12h", example: "7d",
            "How long a sign-in in a browser lasts, 5m to 30d. It holds for sign-ins from then on.", Self.duration)
        self.idle = Setting(
            "\(program)_SESSION_IDLE", default: idle, example: "1d",
            "How long a browser's session lasts without a request, 5m to 30d.", Self.duration)
        self.remember = remember.map {
            Setting(
                "\(program)_REMEMBER", default: $0, example: "7d",
                "How long a browser stays signed in whose user ticks \"Keep me signed in on this device\", 5m to 30d, without an idle limit. off: no box."
            ) { text in
                guard text != "off" else { return nil }
                do { return try Self.duration(text) } catch {
                    throw SettingError("\"\(text)\" must be off, or a time from 5m to 30d, such as 7d.")
                }
            }
        }
    }

    package var name: String { lifetime.name }
    public var descriptions: [SettingDescription] {
        [lifetime.description, idle.description] + (remember.map { [$0.description] } ?? [])
    }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> SessionLifetime? {
        let (absolute, idle) = (reader.value(lifetime), reader.value(idle))
        let remembered: Duration??
        if let remember { remembered = reader.value(remember) } else { remembered = .some(nil) }
        guard let absolute, let idle, let remembered else { return nil }
        // The default of the limit is no mistake of anybody.
        if idle > absolute, reader.text(self.idle.name) != nil {
            reader.warn(
                "\(self.idle.name): is longer than \(lifetime.name), so it ends no session. Use at most as long, or a longer \(lifetime.name)."
            )
        }
        // Who asks to stay signed in is never signed out earlier for it.
        return SessionLifetime(
            absolute: absolute, idle: min(idle, absolute), appAbsolute: appAbsolute,
            remembered: remembered.map { max($0, absolute) })
    }

    /// Parses `300s`, `30m`, `12h` or `7d`.
    @Sendable private static func duration(_ text: String) throws -> Duration {
        guard let duration = SettingDuration.read(text, in: Duration.minutes(5) ... .days(30)) else {
            throw SettingError("\"\(text)\" must be a time from 5m to 30d, such as 12h.")
        }
        return duration
    }
}
