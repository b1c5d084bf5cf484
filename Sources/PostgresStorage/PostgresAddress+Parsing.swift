import CPostgres
import Foundation
public import Storage

extension PostgresAddress {
    /// Why a text is no address of a database. Never contains the text, which may hold a password.
    public struct ParsingError: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads a URI or keywords, as libpq does, and adds what the environment says (`PGPASSFILE`, `PGHOST` …).
    ///
    /// - Parameters:
    ///   - allowsPlaintext: whether another machine may be reached without TLS that is verified.
    ///   - program: the name by which the server knows the connections.
    public init(_ text: String, allowsPlaintext: Bool, readers: Int, program: String) throws(ParsingError) {
        try Self.checkLogin(text)
        var given = try Self.keywords(of: text)
        guard given["service"] == nil else {
            throw ParsingError(description: "names a service. Name host, database and user instead.")
        }
        guard let database = given["dbname"], !database.isEmpty else {
            throw ParsingError(description: "names no database. Use postgres://USER@HOST/NAME.")
        }
        // A setting of libpq in the environment counts as given: it would be used in any case.
        let environment = Self.environment()
        for (keyword, value) in environment where given[keyword] == nil && !value.isEmpty && value != "5432" {
            if Self.ofEnvironment.contains(keyword) { given[keyword] = value }
        }
        try Self.checkForms(given)
        try Self.checkFiles(given)
        let warnings = Self.warnings(given)
        let isNear = Self.isNear(given)
        let mode = given["sslmode"] ?? (isNear ? "prefer" : "verify-full")
        guard isNear || allowsPlaintext || mode == "verify-full" else {
            throw ParsingError(
                description: "has sslmode=\(mode), and the server is on another machine. Use sslmode=verify-full.")
        }
        given["sslmode"] = mode
        if mode == "verify-full", given["sslrootcert"] == nil {
            // libpq 15 has no name for the system's authorities.
            let system = "/etc/ssl/certs/ca-certificates.crt"
            if FileManager.default.isReadableFile(atPath: system) { given["sslrootcert"] = system }
        }
        // Encryption by Kerberos would take the place of the certificate that is to be verified.
        if mode == "verify-full" { given["gssencmode"] = "disable" }
        // Writes need the primary, and reads must see what was written a moment ago.
        given["target_session_attrs"] = "read-write"
        given["connect_timeout"] = given["connect_timeout"] ?? "2"
        given["tcp_user_timeout"] = given["tcp_user_timeout"] ?? "4000"
        given["application_name"] = given["application_name"] ?? program
        given["client_encoding"] = "UTF8"
        self.init(parameters: given, readers: readers, warnings: warnings)
    }

    private static let ofEnvironment = [
        "host", "hostaddr", "port", "user", "passfile", "sslrootcert", "sslcert", "sslkey", "options",
    ]

    /// Refuses a URI whose login has a character that is not percent-encoded: libpq would take half of the password for a host,
    /// a port or a database, and print it. Source: RFC 3986, 3.2.1 and 7.5.
    private static func checkLogin(_ text: String) throws(ParsingError) {
        guard let start = ["postgres://", "postgresql://"].first(where: { text.hasPrefix($0) }) else { return }
        let rest = text.dropFirst(start.count)
        let login = rest.prefix { $0 != "/" && $0 != "?" }
        guard rest.count(where: { $0 == "@" }) == login.count(where: { $0 == "@" }),
            login.count(where: { $0 == "@" }) <= 1
        else { throw ParsingError(description: encoding) }
    }

    private static let encoding =
        "is not a valid address of PostgreSQL. Use postgres://USER@HOST/NAME, with % @ : / ? # in the login "
        + "percent-encoded."

    private static let unknownParameter =
        "has a parameter that PostgreSQL does not know. Look for a misspelt sslmode, sslrootcert, options or "
        + "connect_timeout, and for an & that is not percent-encoded."

    /// Refuses what would be printed and may be half of a password, and words that are none of libpq's.
    private static func checkForms(_ given: [String: String]) throws(ParsingError) {
        if let part = misfit(of: given) {
            throw ParsingError(
                description:
                    "has a \(part.rawValue) with characters that none has. Percent-encode % @ : / ? # in the login.")
        }
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        guard given["sslmode"].map(modes.contains) ?? true else {
            throw ParsingError(description: "has an unknown sslmode. Use sslmode=verify-full.")
        }
        for keyword in ["connect_timeout", "tcp_user_timeout", "keepalives"] {
            guard given[keyword].map({ Int($0) == nil }) ?? false else { continue }
            throw ParsingError(description: "has a \(keyword) that is not a whole number. Leave it out.")
        }
        if let seconds = given["connect_timeout"].flatMap({ Int($0) }), seconds > 3_600 {
            throw ParsingError(description: "has a connect_timeout of more than 3600 seconds. Leave it out, it is 2.")
        }
    }

    /// Refuses the name of a file for TLS that this user cannot read: libpq would go on without a certificate, or end at each
    /// connection. The name is not repeated. `system` and the key of an engine, `engine:id`, are no files.
    private static func checkFiles(_ given: [String: String]) throws(ParsingError) {
        guard given["sslmode"] != "disable" else { return }
        for keyword in ["sslrootcert", "sslcert", "sslkey"] {
            guard let path = given[keyword], !path.isEmpty else { continue }
            let isNoFile = keyword == "sslrootcert" ? path == "system" : keyword == "sslkey" && path.contains(":")
            guard !isNoFile, !FileManager.default.isReadableFile(atPath: path) else { continue }
            throw ParsingError(
                description: "names a file with \(keyword)= that cannot be read. Name one that this user can read.")
        }
    }

    /// One sentence for each setting that takes a defence away. Each follows "NAME: ".
    private static func warnings(_ given: [String: String]) -> [String] {
        func number(_ keyword: String) -> Int? { given[keyword].flatMap { Int($0) } }
        var found: [String] = []
        if let seconds = number("connect_timeout"), seconds <= 0 {
            found.append(
                "connect_timeout=\(seconds) waits minutes for a host that does not answer. Leave it out, it is 2.")
        }
        if number("tcp_user_timeout") == 0 {
            found.append(
                "tcp_user_timeout=0 waits minutes for a host that has vanished. Leave it out, it is 4000 milliseconds.")
        }
        if number("keepalives") == 0 {
            found.append("keepalives=0 keeps connections to a host that has vanished. Leave it out.")
        }
        if let attributes = given["target_session_attrs"], attributes != "read-write" {
            found.append("target_session_attrs has no effect: only a primary is used. Leave it out.")
        }
        if let version = given["ssl_min_protocol_version"], ["TLSv1", "TLSv1.1"].contains(version) {
            found.append(
                "ssl_min_protocol_version=\(version) accepts old versions of TLS. Leave it out, it is TLSv1.2.")
        }
        return found
    }

    private static func keywords(of text: String) throws(ParsingError) -> [String: String] {
        guard !text.utf8.contains(0) else { throw ParsingError(description: "holds a NUL byte.") }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            let words = message.map { String(cString: $0) } ?? ""
            PQfreemem(message)
            // libpq's own words repeat parts of the text. Also a name that it does not know may be half of a password.
            let unknown = ["invalid URI query parameter", "invalid connection option"]
            throw ParsingError(description: unknown.contains(where: words.hasPrefix) ? unknownParameter : encoding)
        }
        return values(of: options)
    }

    /// What libpq takes from the environment where the address says nothing.
    private static func environment() -> [String: String] { PQconndefaults().map(values) ?? [:] }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Whether every host is this machine: a socket, or a loopback address.
    private static func isNear(_ given: [String: String]) -> Bool {
        // With both, the address is connected to, and the name is only for the certificate.
        let places = [given["hostaddr"], given["host"]].compactMap(\.self).first { !$0.isEmpty } ?? ""
        return places.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { place in
            place.isEmpty || place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost" || place == "::1"
                || place.wholeMatch(of: /127\.\d{1,3}\.\d{1,3}\.\d{1,3}/) != nil
        }
    }
}
