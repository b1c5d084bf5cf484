import Foundation
public import SSOShared

extension SettingsReader {
    /// How a new secret is made, as a sentence.
    public static let hint = "Make one with: openssl rand -hex 32"

    /// A shared secret, recorded as its fingerprint.
    ///
    /// - Parameter hint: where the operator gets it, as a sentence.
    public func sharedSecret(
        _ name: String, required: Bool = true, hint: String = SettingsReader.hint
    ) -> SharedSecret? {
        secret(name, required: required, hint: hint) { text in
            let secret = try SharedSecret.parse(text, setting: name)
            return (secret, "fingerprint \(secret.fingerprint)", [secret.warning].compactMap(\.self))
        }
    }

    /// The keys from which a program derives one key for each purpose, recorded as their fingerprints.
    ///
    /// - Parameter hint: where the operator gets them, as a sentence.
    public func derivedKeys(
        _ name: String, required: Bool = true, hint: String = SettingsReader.hint
    ) -> DerivedKeys? {
        secret(name, required: required, hint: hint) { text in
            let keys = try DerivedKeys.parse(text, setting: name)
            return (keys, "fingerprints \(keys.fingerprints.joined(separator: ", "))", keys.warnings)
        }
    }

    private func secret<T>(
        _ name: String, required: Bool, hint: String,
        _ parse: (String) throws -> (value: T, shown: String, warnings: [String])
    ) -> T? {
        guard let text = secretText(name, required: required, hint: hint) else { return nil }
        do {
            let secret = try parse(text)
            checkForExampleSecret(text, setting: name, hint: hint)
            secret.warnings.forEach(warn)
            record(name, secret.shown)
            return secret.value
        } catch {
            problem("\(error). \(hint)")
            return nil
        }
    }

    /// The text of a secret, from `NAME` or from the file that `NAME_FILE` names, whichever source comes first. Both in
    /// one source are a problem.
    public func secretText(_ name: String, required: Bool, hint: String) -> String? {
        switch source.secret(name) {
        case .both:
            problem("\(name): is set twice, as \(name) and as \(name)_FILE. Keep one of them.")
            return nil
        case .text(let text): return text
        case .file(let path): return SecretFile.read(path, setting: "\(name)_FILE", problem: problem, warn: warn)
        case .absent:
            if required { problem("\(name): is required and not set. \(hint)") }
            return nil
        }
    }

    /// The value of a variable in the environment or in the settings file, or of the file that `NAME_FILE` names: for `env:NAME`.
    ///
    /// It is then no unknown setting.
    public func variable(_ name: String) -> String? {
        askedVariables.append(name)
        return secretText(name, required: false, hint: "")
    }

    /// Remembers a secret that looks like documentation or like a typed pattern (ASVS 13.2.3).
    ///
    /// ``reportExampleSecrets(publicURL:listen:)`` decides whether that is a problem.
    ///
    /// - Parameter hint: where the operator gets another one, as a sentence.
    public func checkForExampleSecret(_ text: String, setting name: String, hint: String = SettingsReader.hint) {
        let words = [
            "changeme", "change-me", "change_me", "replaceme", "replace-me", "replace_me", "replace-this",
            "placeholder", "your-secret", "your_secret", "yoursecret", "correct-horse", "example",
        ]
        // 32 random hex digits have fewer than six different ones less than once in a hundred million times.
        guard words.contains(where: text.lowercased().contains) || Set(text.utf8).count < 6 else { return }
        exampleSecrets.append((name, hint))
    }

    /// Reports the secrets that others may know: as warnings in a trial on this machine, as problems anywhere else.
    ///
    /// In a trial both the public address and the listen address are loopback.
    public func reportExampleSecrets(publicURL: PublicOrigin?, listen: ListenAddress?) {
        let isTrial = publicURL?.isLoopback == true && listen.map { LoopbackHost.contains($0.host) } == true
        for (name, hint) in exampleSecrets {
            let text = "\(name): looks like an example or a pattern, so others may know or guess it."
            isTrial ? warn(text) : problem("\(text) \(hint)")
        }
        exampleSecrets = []
    }

    /// Records a problem when a program's own key is also a secret that another party holds.
    public func requireDifferent(_ keys: DerivedKeys?, _ name: String, from secret: SharedSecret?, _ other: String) {
        guard let keys, let secret, keys.holds(secret) else { return }
        problem(
            "\(name): is the same as \(other). A holder of that secret could forge what this key protects. \(Self.hint)"
        )
    }
}

/// Reads a secret from a file. The value never appears in a message.
public enum SecretFile {
    private static let maximumBytes = 64 * 1024

    /// The text of the file without a byte order mark at its start and one line end at its end, which editors write. nil after
    /// `problem` received the reason. Other white space stays, so that the reader of the secret warns of it.
    ///
    /// - Parameter warn: receives a warning when other users of this machine have any right to the file.
    public static func read(
        _ path: String, setting: String, problem: (String) -> Void, warn: (String) -> Void = { _ in }
    ) -> String? {
        guard let bytes = BoundedFile.read(path, upTo: maximumBytes) else {
            problem("\(setting): cannot read the file \(path). It must be a readable regular file of at most 64 KiB.")
            return nil
        }
        FileAccess.warning(ofSecret: path, setting: setting).map(warn)
        guard let text = Entered.file(bytes) else {
            problem("\(setting): the file \(path) is not text in UTF-8.")
            return nil
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            problem("\(setting): the file \(path) is empty.")
            return nil
        }
        // "\r\n" is one Character.
        return text.last.map { $0 == "\n" || $0 == "\r\n" } == true ? String(text.dropLast()) : text
    }
}

/// Reads a file that a setting names.
public enum BoundedFile {
    /// The bytes of the file. nil when it is no regular file, cannot be read or is longer than `limit`.
    public static func read(_ path: String, upTo limit: Int) -> [UInt8]? {
        guard let file = RegularFile.open(path) else { return nil }
        defer { try? file.close() }
        do {
            // At the end of a file there is no data.
            let data = try file.read(upToCount: limit + 1) ?? Data()
            return data.count <= limit ? Array(data) : nil
        } catch { return nil }
    }
}

/// The file into which systemd has put a secret for this service: `credential:NAME`.
public enum CredentialFile {
    /// The path of the credential with that name.
    ///
    /// - Parameters:
    ///   - environment: where systemd's `CREDENTIALS_DIRECTORY` is looked up (systemd.exec(5), `LoadCredential=`).
    ///   - otherwise: what else the operator can use.
    public static func path(
        of name: String, environment: (String) -> String?, otherwise: String
    ) throws(SettingError) -> String {
        // The characters that systemd accepts. Without a slash the name cannot leave the folder.
        let isName = name.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
        }
        guard isName, !name.isEmpty, name != ".", name != ".." else {
            throw SettingError("credential:\(name) must name a credential, without / and spaces.")
        }
        // A command beside the service has no such folder, and reads the file that systemd would.
        guard let folder = environment("CREDENTIALS_DIRECTORY") else {
            if let path = environment(ServiceUnit.credential(name)) { return path }
            throw SettingError(
                "credential:\(name) needs $CREDENTIALS_DIRECTORY, which systemd sets. Add LoadCredential=\(name):PATH "
                    + "to the unit, or use \(otherwise).")
        }
        return "\(folder)/\(name)"
    }
}
