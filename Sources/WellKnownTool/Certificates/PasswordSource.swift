import Foundation
import Glibc

/// Where the password of a key store comes from. Never from an argument: the process list shows those to everybody.
struct PasswordSource {
    let file: String?

    /// - Returns: `nil` when there is no file and no terminal to ask on.
    func read() throws(CertificateFault) -> String? {
        if let file { return try Self.firstLine(of: file) }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        // getpass(3) asks on the terminal itself and does not show what is typed.
        guard let typed = getpass("Password of the key store: ") else { return nil }
        defer { memset(typed, 0, strlen(typed)) }
        return String(cString: typed)
    }

    private static func firstLine(of file: String) throws(CertificateFault) -> String {
        let data = try InputBytes.read(file, limit: 65_536)
        return String(decoding: data.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    }
}
