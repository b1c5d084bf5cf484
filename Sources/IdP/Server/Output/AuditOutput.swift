import Foundation
import IdPAccounts
package import IdPClients
package import IdPOperations
import SSOShared
package import SSOWeb
package import Storage

/// The addresses of accounts, each read once.
package struct AccountNames {
    private let database: any Database
    private var known: [String: String?] = [:]

    package init(_ database: any Database) { self.database = database }

    package mutating func lines(_ entries: [AuditEntry]) async throws -> [AuditLine] {
        let new = Set(entries.compactMap(\.account)).filter { known[$0] == nil }
        if !new.isEmpty {
            let found = try await database.read { connection in
                try new.map { ($0, try AccountStore.find($0, connection)?.email) }
            }
            // Bounded, however long a command follows the log.
            if known.count > 10_000 { known = [:] }
            for (id, email) in found { known.updateValue(email, forKey: id) }
        }
        return entries.map { entry in AuditLine(entry: entry, user: entry.account.flatMap { known[$0] ?? nil }) }
    }
}

/// How commands print rows of the audit log.
package enum AuditOutput {
    /// An object with every name, and null for what a row does not have. `count` is a number.
    package static func json(_ line: AuditLine) -> String {
        let members = zip(AuditLine.names, line.values).map { name, value in
            let written = name == "count" ? value : value.map(JSONText.string)
            return "\(JSONText.string(name)):\(written ?? "null")"
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// As the log writes a line: the moment, the event, and what there is of the rest.
    package static func text(_ line: AuditLine) -> String {
        let rest = zip(AuditLine.names, line.values).dropFirst(2).compactMap { name, value in
            value.map { "\(name)=\(isPlain($0) ? $0 : JSONText.string($0))" }
        }
        return ([PlainDate.rfc3339(line.entry.at), line.entry.event] + rest).joined(separator: " ")
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x5c && $0 != 0x7f }
    }
}

/// The formats of exported files.
package enum AuditFileFormat: Sendable {
    case csv, jsonLines

    package init?(file: String) {
        if file.hasSuffix(".csv") {
            self = .csv
        } else if file.hasSuffix(".jsonl") {
            self = .jsonLines
        } else {
            return nil
        }
    }

    var start: String { self == .csv ? AuditLine.csv(AuditLine.names) : "" }

    func text(_ lines: [AuditLine]) -> String {
        lines.map { self == .csv ? $0.csv : AuditOutput.json($0) + "\n" }.joined()
    }
}

/// A new file of rows.
package enum AuditFile {
    /// Writes a file that must not exist yet (``NewFile``).
    ///
    /// - Parameter body: gets what appends rows.
    package static func write(
        _ path: String, _ format: AuditFileFormat,
        _ body: (_ append: ([AuditLine]) throws -> Void) async throws -> Int
    ) async throws -> Int {
        try await NewFile.write(path) { file in
            try file.append(format.start)
            return try await body { try file.append(format.text($0)) }
        }
    }
}

/// A new file, readable for its owner alone.
package struct NewFile {
    private let path: String
    private let file: FileHandle

    /// Writes a file that must not exist yet. It is there, and on the disk, only if `body` has succeeded.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` for a failure of the file, or what `body` throws.
    package static func write<Result>(_ path: String, _ body: (NewFile) async throws -> Result) async throws -> Result {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError.refused(
                "\(path) cannot be made: \(String(cString: strerror(errno))). Name a file that does not exist yet.")
        }
        let new = NewFile(path: path, file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
        do {
            let result = try await body(new)
            try new.file.synchronize()
            try new.file.close()
            return result
        } catch {
            unlink(path)
            throw error
        }
    }

    package func append(_ text: String) throws {
        do { try file.write(contentsOf: Data(text.utf8)) } catch {
            throw DatabaseError.refused("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}

extension AuditStore {
    /// Reads all rows of a search, a page at a time.
    package func eachPage(_ search: AuditSearch, _ body: ([AuditEntry]) async throws -> Void) async throws {
        let limit = 1000
        var last: [UInt8]?
        while true {
            let entries = try await page(search, after: last, limit: limit)
            try await body(entries)
            guard entries.count == limit else { return }
            last = entries.last?.id
        }
    }
}

extension AuditActor {
    /// The system user that runs this command, and the one who has asked `sudo` for it. `SUDO_USER` can be set by anybody who may
    /// run the command: it is a hint, and only a name of a user is kept.
    package static func ofCommand(environment: [String: String] = ProcessInfo.processInfo.environment) -> AuditActor {
        let user = getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) }
        let isName: (String) -> Bool = { name in
            (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || [UInt8]("._-".utf8).contains(byte)
                }
        }
        return .command(
            user: user.flatMap { isName($0) ? $0 : nil } ?? "uid-\(geteuid())",
            sudo: environment["SUDO_USER"].flatMap { isName($0) ? $0 : nil })
    }
}
