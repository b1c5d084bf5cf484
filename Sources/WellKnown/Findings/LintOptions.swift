import SSOShared

/// Information for the linter besides the text, and its optional checks.
public struct LintOptions: Sendable {
    /// The name of the file in findings, or `nil` if only one file is checked.
    public var file: String?
    /// The oldest iOS version that the apps support. Features that it lacks are findings. `nil` means any version.
    public var minimumIOS: SystemVersion?
    /// The host that serves the file, for sample URLs. `example.com` is used if it is unknown.
    public var domain: String?
    /// The path from which the file is served, if it is known, for example `/.well-known/…`.
    public var servedPath: String?
    /// Whether a missing line break at the end is reported. Off by default because it does no harm.
    public var mindsFinalNewline = false

    public init(
        file: String? = nil, minimumIOS: SystemVersion? = nil, domain: String? = nil, servedPath: String? = nil,
        mindsFinalNewline: Bool = false
    ) {
        self.file = file
        self.minimumIOS = minimumIOS
        self.domain = domain
        self.servedPath = servedPath
        self.mindsFinalNewline = mindsFinalNewline
    }
}

/// A version of an operating system, for example `13.5`.
public struct SystemVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(_ major: Int, _ minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// Reads `13`, `13.5` or `13.5.1`. The third number is ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count <= 4 && part.utf8.allSatisfy(\.isASCIIDigit) ? Int(part) : nil
        }
        guard (1...3).contains(parts.count), numbers.count == parts.count, let major = numbers.first else { return nil }
        self.init(major, numbers.count > 1 ? numbers[1] : 0)
    }

    public var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }

    public static func < (left: SystemVersion, right: SystemVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
