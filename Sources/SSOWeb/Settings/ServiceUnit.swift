import Foundation

/// What the systemd unit of a service sets for it: the part of its settings that its settings file does not have.
///
/// Reads the unit and its drop-ins as `systemctl cat` would show them (systemd.unit(5), "Unit File Load Path"), so that a command
/// beside the service has the same settings without asking systemd, which a container does not have.
struct ServiceUnit: Sendable {
    /// By name: `Environment=`, the folder of `StateDirectory=` as `STATE_DIRECTORY`, and the path of each `LoadCredential=` by
    /// ``credential(_:)``.
    private(set) var environment: [String: String] = [:]
    /// The files of `EnvironmentFile=`, in their order.
    private(set) var environmentFiles: [String] = []
    /// What relative paths of the service begin with.
    private(set) var workingDirectory: String?
    private var stateDirectories: [String] = []
    private var credentials: [String: String] = [:]

    /// Where units are, the one that wins first.
    static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// The name under which ``environment`` has the path of a credential. No variable of an environment can have it.
    static func credential(_ name: String) -> String { "LoadCredential=\(name)" }

    /// - Parameter name: without `.service`. Nil where no such unit is installed.
    init?(_ name: String, folders: [String] = Self.folders) {
        let places = folders.map { "\($0)/\(name).service" }
        guard let unit = places.first(where: { FileManager.default.isReadableFile(atPath: $0) }) else { return nil }
        let text = ([unit] + Self.dropIns(of: name, in: folders)).compactMap(Self.text).joined(separator: "\n")
        for (key, value) in Self.serviceLines(text) { take(key, value) }
        environment["STATE_DIRECTORY"] = stateDirectories.first.map { "/var/lib/\($0)" }
        for (name, path) in credentials { environment[Self.credential(name)] = path }
        environment = environment.compactMapValues(resolved)
        workingDirectory = workingDirectory.flatMap(resolved)
    }

    /// In the order of their names. Of two with one name, the one of the folder that comes first.
    private static func dropIns(of name: String, in folders: [String]) -> [String] {
        var found: [String: String] = [:]
        for folder in folders.map({ "\($0)/\(name).service.d" }) {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where file.hasSuffix(".conf") && found[file] == nil {
                found[file] = "\(folder)/\(file)"
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func text(_ path: String) -> String? {
        BoundedFile.read(path, upTo: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The assignments of all sections `[Service]` (systemd.syntax(7)).
    private static func serviceLines(_ text: String) -> [(key: String, value: String)] {
        var (section, lines): (String, [(String, String)]) = ("", [])
        let joined = text.replacing("\r\n", with: "\n").replacing("\\\n", with: " ")
        for line in joined.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("[") { section = line }
            guard section == "[Service]", !line.hasPrefix("#"), !line.hasPrefix(";"),
                let equals = line.firstIndex(of: "=")
            else { continue }
            let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            lines.append((line[..<equals].trimmingCharacters(in: .whitespaces), value))
        }
        return lines
    }

    /// An empty value takes back what earlier lines have said.
    private mutating func take(_ key: String, _ value: String) {
        switch key {
        case "Environment":
            if value.isEmpty { environment = [:] }
            for assignment in Self.words(value) {
                let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
            }
        case "EnvironmentFile":
            environmentFiles = value.isEmpty ? [] : environmentFiles + [String(value.trimmingPrefix("-"))]
        case "LoadCredential":
            if value.isEmpty { credentials = [:] }
            let parts = value.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { credentials[String(parts[0])] = String(parts[1]) }
        case "StateDirectory":
            stateDirectories = value.isEmpty ? [] : stateDirectories + Self.words(value)
        case "WorkingDirectory": workingDirectory = value.isEmpty ? nil : String(value.trimmingPrefix("-"))
        default: break
        }
    }

    /// Words between blanks; quotation marks keep blanks together (systemd.syntax(7), "Quoting").
    private static func words(_ text: String) -> [String] {
        var (words, word, quote): ([String], String?, Character?) = ([], nil, nil)
        for character in text {
            switch (character, quote) {
            case (let end, let open?) where end == open: quote = nil
            case ("\"", nil), ("'", nil):
                quote = character
                word = word ?? ""
            case (" ", nil), ("\t", nil):
                words += [word].compactMap(\.self)
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }

    /// With the specifiers of a system service (systemd.unit(5), "Specifiers"). Nil for one that only a running service knows.
    private func resolved(_ text: String) -> String? {
        var text = text
        for (name, path) in credentials where text == "%d/\(name)" { text = path }
        for (specifier, folder) in ["%S": "/var/lib", "%E": "/etc", "%t": "/run", "%C": "/var/cache"] {
            text = text.replacing(specifier, with: folder)
        }
        let rest = text.replacing("%%", with: "")
        return rest.contains("%") ? nil : text.replacing("%%", with: "%")
    }
}
