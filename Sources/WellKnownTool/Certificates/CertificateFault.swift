/// Why no certificate could be read from a file.
enum CertificateFault: Error, Equatable {
    /// Nothing we know begins like this.
    case unknownFormat
    /// Of a known kind, and broken: what is wrong, as the end of a sentence.
    case malformed(String)
    /// A key store whose password is another one.
    case wrongPassword
    /// A key store that needs a password, and none was given.
    case passwordNeeded
    /// A key store that would keep the machine busy for minutes before it opens.
    case tooManyRounds
    /// A cipher or a form that is not read here: which, and the way out.
    case unsupported(String)
    /// Readable, and without any certificate: what was looked for.
    case empty(String)
    /// The file could not be opened or read.
    case unreadable(String)
}

extension CertificateFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknownFormat:
            "this is no certificate (PEM, DER), no key store (PKCS#12, JKS) and no APK"
        case .malformed(let what): "the file is broken: \(what)"
        case .wrongPassword: "the password does not open this key store"
        case .passwordNeeded:
            "the key store needs its password: give it with --password-file, or run this on a terminal"
        case .tooManyRounds:
            "the key store asks for more than three million rounds of its password hash, and is not opened"
        case .unsupported(let what): what
        case .empty(let what): what
        case .unreadable(let why): "cannot read it: \(why)"
        }
    }
}
