import Foundation
import SSOShared

/// What is known about the origin of a backup.
public enum BackupOrigin: Sendable, Equatable {
    /// Made with one of the keys that are in force here.
    case proven
    /// Made with another key, or by somebody else.
    case otherKey
    /// Made where no key was set. Anybody can make such a file.
    case unsigned
    /// It has a code, and no key is set here to check it.
    case unchecked
    /// It has neither a checksum nor a code.
    case unsealed
}

/// The last line of a backup file. It shows that the file is whole, and who has made it.
///
/// The line has a fixed length and stands after the last page of the database:
/// `swift-sso-backup-1 mac=<64 hex digits or 64 hyphens> sha256=<64 hex digits>` and a line feed. SQLite reads as many pages
/// as the header of the database says, so other programs open a backup as it is
/// (https://www.sqlite.org/fileformat.html, section 1.3.8).
///
/// `mac` is the HMAC-SHA256 of the database's SHA-256, with a key derived for this purpose. `sha256` covers the database's
/// SHA-256 and `mac`, so that it finds damage also where no key is set.
struct BackupSeal: Sendable {
    /// The label for ``DerivedKeys/derive(_:)``.
    static let keyLabel = "backup"

    private static let name = "swift-sso-backup-1 "
    private static let noCode = String(repeating: "-", count: 64)
    static let length = name.utf8.count + "mac= sha256=\n".utf8.count + 128

    /// What a file's last line says, and whether the file agrees.
    enum Verdict: Equatable, Sendable {
        case sealed(BackupOrigin, contentBytes: UInt64)
        /// There is no such line. Not made by `idp backup`, or somebody has removed it.
        case missing
        /// The file is not what its last line says.
        case damaged
    }

    /// The keys for this purpose, the one that makes codes first. Empty where none is set.
    let keys: [[UInt8]]

    init(_ keys: DerivedKeys?) { self.keys = keys?.derive(Self.keyLabel) ?? [] }

    /// The line for a database with this digest.
    func line(for digest: [UInt8]) -> [UInt8] {
        let code = keys.first.map { Hex.encode(HMACSHA256.code(for: digest, key: $0)) } ?? Self.noCode
        return Self.line(digest, code: code)
    }

    private static func line(_ digest: [UInt8], code: String) -> [UInt8] {
        let checksum = Hex.encode(SHA256.hash(digest + Array(code.utf8)))
        return Array("\(name)mac=\(code) sha256=\(checksum)\n".utf8)
    }

    /// Compares a file with its last line.
    ///
    /// - Returns: nil when the file cannot be read.
    func verdict(on descriptor: CInt, size: UInt64) -> Verdict? {
        let length = UInt64(Self.length)
        guard size >= length else { return .missing }
        var line = [UInt8](repeating: 0, count: Self.length)
        guard pread(descriptor, &line, line.count, off_t(size - length)) == line.count else { return nil }
        guard line.starts(with: Self.name.utf8) else { return .missing }
        guard let digest = SHA256.hash(file: descriptor, count: size - length) else { return nil }
        let start = Self.name.utf8.count + "mac=".utf8.count
        let code = String(decoding: line[start..<(start + 64)], as: UTF8.self)
        // Every byte of the line is compared: also a changed letter case is damage.
        guard ConstantTime.equal(Self.line(digest, code: code), line) else { return .damaged }
        return .sealed(origin(of: code, digest), contentBytes: size - length)
    }

    private func origin(of code: String, _ digest: [UInt8]) -> BackupOrigin {
        guard code != Self.noCode else { return .unsigned }
        guard !keys.isEmpty else { return .unchecked }
        let isOurs = keys.reduce(false) { found, key in
            ConstantTime.equal(Hex.encode(HMACSHA256.code(for: digest, key: key)), code) || found
        }
        return isOurs ? .proven : .otherKey
    }
}
