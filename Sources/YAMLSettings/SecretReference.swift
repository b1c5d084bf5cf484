import SSOShared
import SSOWeb
package import Yams

/// What stands for a secret in a settings file.
package enum SecretReference {
    /// `env:NAME`
    case environment(String)
    /// `file:PATH`
    case file(String)
    /// `credential:NAME`: a credential of systemd.
    case credential(String)
    /// Anything else: the secret itself.
    case value(String)

    package init(_ text: String) {
        func rest(_ prefix: String) -> String? { text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil }
        self =
            rest("env:").map(Self.environment) ?? rest("file:").map(Self.file)
            ?? rest("credential:").map(Self.credential) ?? .value(text)
    }
}

/// Reads the secrets that a settings file names. No message contains a secret.
package struct SecretReferences {
    let file: SettingsFile
    /// Where `env:NAME` is looked up.
    let environment: (String) -> String?

    package init(
        file: SettingsFile, environment: @escaping (String) -> String?
    ) {
        (self.file, self.environment) = (file, environment)
    }

    /// The beginning of a message about one secret: place, key and owner.
    package func name(_ key: String, of owner: String, at node: Node) -> String {
        "\(file.place(of: node)): \(key) of \"\(owner)\""
    }

    /// The text of a secret; nil after a problem.
    package func text(_ reference: SecretReference, key: String, of owner: String, at node: Node) -> String? {
        let name = name(key, of: owner, at: node)
        switch reference {
        case .value(let text): return text
        case .environment(let variable):
            guard isVariable(variable) else {
                return file.refuse("\(key): env:\(variable) must name a variable of letters, digits and _.", node)
            }
            return environment(variable)
                ?? file.refuse("\(key): the environment has no \(variable). Set it, or use file:PATH.", node)
        case .file(let path): return SecretFile.read(path, setting: name, problem: file.problem, warn: file.warn)
        case .credential(let credential):
            do throws(SettingError) {
                let path = try CredentialFile.path(of: credential, environment: environment, otherwise: "file:PATH")
                return SecretFile.read(path, setting: name, problem: file.problem, warn: file.warn)
            } catch {
                return file.refuse("\(key): \(error)", node)
            }
        }
    }

    /// What to write in place of a secret that is no secret: the name of a variable that there is. Empty for any other.
    package func hint(about written: String) -> String {
        guard case .value(let text) = SecretReference(written), isVariable(text) else { return "" }
        return environment(text) == nil ? ". For the value of a variable, write env:NAME" : ". Write env:\(text)"
    }

    private func isVariable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }
}
