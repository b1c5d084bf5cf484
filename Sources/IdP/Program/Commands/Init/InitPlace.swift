import Foundation
import SSOShared
import SSOWeb

/// Where `idp init` writes: the settings file and the key of the installed service, or those of a working folder.
struct InitPlace {
    let file: String
    let isService: Bool
    /// The settings that are there already.
    let reader: SettingsReader

    init(envFile: String?, service: InstalledService) {
        let files = FileManager.default
        // The file that commands would read.
        isService =
            envFile == nil && !files.fileExists(atPath: ".env") && files.fileExists(atPath: service.file)
        file = envFile ?? (isService ? service.file : ".env")
        let known = isService ? EnvFile(of: service) : EnvFile(at: file)
        reader = SettingsReader(SettingsSource(arguments: [], environment: [:], file: known))
    }

    /// Whether the settings that are needed were not there.
    private var isFirst: Bool { reader.text("IDP_PUBLIC_URL") == nil }

    /// The file of the key, where the settings name none.
    private var key: (path: String, isNamed: Bool) {
        if let named = reader.variable("IDP_SECRET_KEY_FILE") { return (named, true) }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "var/"
        return ("\(folder)idp-secret-key", false)
    }

    /// Why this user cannot write there; nil where nothing is in the way.
    var problem: String? {
        let exists = access(file, F_OK) == 0
        let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        guard access(folder, F_OK) == 0 || errno != ENOENT else {
            return "there is no folder \(folder). Make it first."
        }
        guard exists ? access(file, R_OK | W_OK) != 0 : access(folder, W_OK) != 0 else { return nil }
        return "\(file) may not be read and written by this user. Run the command as root: sudo idp init"
    }

    /// Writes the settings, and the key unless there is one.
    ///
    /// - Returns: whether anything is different now.
    /// - Throws: ``SettingError``.
    func write(_ answers: InitAnswers) throws(SettingError) -> Bool {
        var problems: [String] = reader.problems
        let bytes = FileManager.default.fileExists(atPath: file) ? BoundedFile.read(file, upTo: 1 << 20) : []
        guard let bytes, let before = String(validating: bytes, as: UTF8.self) else {
            throw SettingError("\(file) cannot be read as text in UTF-8.")
        }
        // What is wrong with a line is found before anything is written, so that nothing that was there gets lost.
        guard problems.isEmpty else {
            problems.append("Correct it, then start again.")
            throw SettingError(problems.joined(separator: " "))
        }
        var text = SettingsText(before.isEmpty ? Self.head : before)
        for (name, value) in [
            ("IDP_PUBLIC_URL", answers.publicURL), ("IDP_MAIL_URL", answers.mailURL),
            ("IDP_MAIL_FROM", answers.mailFrom), ("IDP_ALLOWED_EMAILS", answers.allowedEmails),
            ("IDP_TRUSTED_PROXIES", answers.trustedProxies),
        ] {
            guard let value, value != current(name) else { continue }
            text.remove("\(name)_FILE")
            if InitAnswers.isAbsence(value, of: name) { text.remove(name) } else { try text.set(name, to: value) }
            // The unit may name a file for it, and both would be set twice.
            if reader.variable("\(name)_FILE") != nil, SettingsText(before).hasNo("\(name)_FILE") {
                throw SettingError("\(name): the unit of the service sets \(name)_FILE. Change that file.")
            }
        }
        let hasKey = reader.secretText("IDP_SECRET_KEY", required: false, hint: "") != nil
        if !hasKey {
            try Self.makeKey(at: key.path)
            if !key.isNamed { try text.set("IDP_SECRET_KEY_FILE", to: key.path) }
        }
        guard text.text != before || !hasKey else { return false }
        try text.write(to: file)
        return true
    }

    private func current(_ name: String) -> String? {
        name == "IDP_MAIL_URL" ? reader.secretText(name, required: false, hint: "") : reader.text(name)
    }

    private static let head = """
        # Settings of the identity provider. All others: idp serve --help-settings

        """

    /// A key that nobody has typed: 32 random bytes.
    private static func makeKey(at path: String) throws(SettingError) {
        if let bytes = BoundedFile.read(path, upTo: 1 << 16), !bytes.isEmpty { return }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try SettingsText(Hex.encode(try SystemRandomness().bytes(32))).write(to: path)
        } catch {
            throw SettingError("the key cannot be made: \(error)")
        }
    }

    func words(_ isChanged: Bool) -> String {
        let wrote = isChanged ? "Wrote \(file)." : "\(file) is as it was."
        let service = isFirst ? "systemctl enable --now swift-sso-idp" : "systemctl restart swift-sso-idp"
        let option = isService || file == ".env" ? "" : " --env-file \(file)"
        let start = isService ? service : "idp serve\(option)"
        let add =
            "idp client add wiki --name Wiki --protocol oidc --redirect-uri https://wiki.example.com/oidc/callback --everyone\(option)"
        return "\(wrote) Keep a copy of the key with your backups. Next:\n  \(start)\n  \(add)"
    }

    func json(_ isChanged: Bool) -> String {
        JSONText.object([.init("changed", isChanged), .init("file", file)])
    }
}
