import Foundation

/// The file of settings that a program reads beside its command line and the environment: the one of `--env-file`, else `.env` in
/// the working folder, else that of the installed service.
public struct EnvFile: Sendable {
    /// What was read, in words, for `check`.
    let description: String
    /// The settings by name. Those of a service are what its process finds in its environment.
    let values: [String: String]
    /// Whether the settings are those of the installed service.
    let isOfService: Bool
    /// The line of each name in the file.
    let lines: [String: Int]
    /// How warnings call the file.
    let label: String
    let problems, warnings: [String]
    /// Whether there is a file that could not be read, so that whatever is missing may be in it.
    let isUnreadable: Bool
    /// What to do about a file of the service that this user may not read. It matters when something is missing.
    let hint: String?

    /// A file with this path, which may be missing.
    public init(at path: String) { self.init(DotEnvFile(path: path), path) }

    /// No file.
    static let none = EnvFile(nil, "")

    private init(_ file: DotEnvFile?, _ label: String, hint: String? = nil) {
        description = file == nil ? "no file" : label
        (values, lines, isOfService) = (file?.values ?? [:], file?.lines ?? [:], false)
        (problems, warnings) = (file?.problems ?? [], file?.warnings ?? [])
        isUnreadable = file?.isUnreadable ?? false
        (self.label, self.hint) = (label.split(separator: "/").last.map(String.init) ?? label, hint)
    }

    /// - Parameters:
    ///   - named: the value of `--env-file`. `/dev/null` means none.
    ///   - service: the installed service.
    ///   - folder: the working folder.
    static func find(named: String?, service: InstalledService, in folder: String = ".") -> EnvFile {
        if named == "/dev/null" { return .none }
        if let named {
            guard access(named, F_OK) == 0 else { return EnvFile(missing: named) }
            return EnvFile(at: named)
        }
        let own = folder == "." ? ".env" : "\(folder)/.env"
        if access(own, F_OK) == 0 { return EnvFile(at: own) }
        guard access(service.file, F_OK) == 0 else { return .none }
        guard access(service.file, R_OK) == 0 else {
            return EnvFile(
                nil, "",
                hint: "The settings of the installed service are in \(service.file), which this user may not read. "
                    + "Run the command as root: sudo \(service.program) …")
        }
        return EnvFile(of: service)
    }

    private init(missing path: String) {
        (description, values, lines, label, warnings, hint) = (path, [:], [:], path, [], nil)
        (isOfService, isUnreadable) = (false, true)
        problems = ["--env-file: there is no file \(path)."]
    }

    /// The settings of the installed service.
    public init(of service: InstalledService) {
        let unit = ServiceUnit(service.unit, folders: service.unitFolders)
        // As in systemd files win over `Environment=`, and later files over earlier ones.
        let files = (unit?.environmentFiles ?? [service.file]).filter { access($0, R_OK) == 0 }
            .map { (path: $0, file: DotEnvFile(path: $0, isOfService: true)) }
        let values = files.reduce(unit?.environment ?? [:]) { $0.merging($1.file.values) { $1 } }
        self.values = unit?.workingDirectory.map { Self.absolute(values, in: $0) } ?? values
        lines = files.first { $0.path == service.file }?.file.lines ?? [:]
        problems = files.flatMap(\.file.problems)
        warnings = files.flatMap(\.file.warnings)
        isUnreadable = files.contains(where: \.file.isUnreadable)
        (label, hint, isOfService) = (service.file, nil, true)
        let also = unit == nil ? "" : " and \(service.unit).service"
        description = "\(service.file)\(also), of the installed service"
    }

    /// The paths of a service are relative to its folder, which is not that of a command.
    private static func absolute(_ values: [String: String], in folder: String) -> [String: String] {
        var absolute = values
        for (name, value) in values where !value.isEmpty {
            for prefix in ["sqlite:", "outbox:"] where value.hasPrefix(prefix) && !value.hasPrefix("\(prefix)/") {
                absolute[name] = "\(prefix)\(folder)/\(value.dropFirst(prefix.count))"
            }
            if name.hasSuffix("_FILE") || name.hasSuffix("_DIR"), !value.hasPrefix("/") {
                absolute[name] = "\(folder)/\(value)"
            }
        }
        return absolute
    }
}

/// Where an installed service has its settings: as the packages and the units of deploy/ do.
public struct InstalledService: Sendable {
    /// The settings file. Its folder is there where the service is installed.
    public let file: String
    let program, unit: String
    let unitFolders: [String]

    /// - Parameters:
    ///   - program: `idp` or `relying-party`.
    ///   - folder: of the settings.
    public init(
        _ program: String, folder: String = "/etc/swift-sso", unitFolders: [String]? = nil
    ) {
        (self.program, file, unit) = (program, "\(folder)/\(program).env", "swift-sso-\(program)")
        self.unitFolders = unitFolders ?? ServiceUnit.folders
    }
}
