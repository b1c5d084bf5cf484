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
        case .file(let path): return SecretFile.read(path, setting: name, problem: file.problem)
        case .credential(let credential):
            guard let path = path(ofCredential: credential, key: key, node) else { return nil }
            return SecretFile.read(path, setting: name, problem: file.problem)
        }
    }

    private func isVariable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }

    /// Where systemd puts the credential of that name for this service (systemd.exec(5), `LoadCredential=`).
    private func path(ofCredential name: String, key: String, _ node: Node) -> String? {
        // The characters that systemd accepts. Without a slash the name cannot leave the folder.
        let isName = name.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
        }
        guard isName, !name.isEmpty, name != ".", name != ".." else {
            return file.refuse("\(key): credential:\(name) must name a credential, without / and spaces.", node)
        }
        guard let folder = environment("CREDENTIALS_DIRECTORY") else {
            return file.refuse(
                "\(key): credential:\(name) needs $CREDENTIALS_DIRECTORY, which systemd sets. Add LoadCredential=\(name):PATH "
                    + "to the unit, or use file:PATH.", node)
        }
        return "\(folder)/\(name)"
    }
}
