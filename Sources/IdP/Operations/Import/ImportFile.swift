import IdPClients
package import SSOShared
import SSOWeb

/// The users of a CSV file: `email,name,groups,until`. The first line names the columns; all but `email` may be missing.
package struct ImportFile: Sendable {
    package static let maximumLines = 10_000
    package static let maximumBytes = 1 << 20

    /// A line about a user.
    package struct User: Sendable {
        package let line: Int
        package let email: EmailAddress
        /// Nil for the part of the address before the @.
        let name: String?
        let groups: [String]
        /// Nil where the file has no such column, and then the end date of an account stays.
        let until: Until?
    }

    enum Until: Sendable, Equatable {
        case never
        case end(Timestamp)

        var end: Timestamp? { if case .end(let end) = self { end } else { nil } }
    }

    /// Those whose address can be read, each once. Only a file without faults is imported.
    package private(set) var users: [User] = []
    /// The groups that each line names, as far as they can be read.
    private(set) var namedGroups: [(line: Int, groups: [String])] = []
    /// Sorted by line.
    package private(set) var faults: [CSVFile.LineError] = []

    package init(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else {
            faults = [
                .init(line: 1, "the file has \(bytes.count) bytes; at most \(Self.maximumBytes) are allowed. Split it.")
            ]
            return
        }
        let file = CSVFile(bytes)
        faults = file.faults
        guard let header = file.records.first else {
            if faults.isEmpty { faults = [Self.headerFault(1, "is missing")] }
            return
        }
        guard file.records.count - 1 <= Self.maximumLines else {
            faults = [
                .init(
                    line: 1,
                    "the file has \(file.records.count - 1) users; at most \(Self.maximumLines) are allowed. Split it.")
            ]
            return
        }
        guard let columns = columns(header) else { return }
        var seen: [String: Int] = [:]
        for record in file.records.dropFirst() {
            guard let user = user(record, columns) else { continue }
            if let earlier = seen.updateValue(record.line, forKey: user.email.text) {
                fault(
                    record.line,
                    "email: \(user.email.text) appears in line \(earlier) already. Give each user one line.")
            } else {
                users.append(user)
            }
        }
        faults.sort { $0.line < $1.line }
    }

    private enum Column: String, CaseIterable { case email, name, groups, until }

    private static func headerFault(_ line: Int, _ problem: String) -> CSVFile.LineError {
        .init(line: line, "the line with the names of the columns \(problem). It must be email,name,groups,until")
    }

    private mutating func columns(_ header: CSVFile.Record) -> [Column]? {
        let columns = header.fields.map { Column(rawValue: $0.trimmed.lowercased()) }
        let known = columns.compactMap(\.self)
        guard known.count == columns.count, known.contains(.email), Set(known).count == known.count else {
            let written = header.fields.joined(separator: ",")
            let unseen = UnseenCharacter.first(in: written).map { ", with \($0)" } ?? ""
            let hasSemicolons = header.fields.count == 1 && written.contains(";")
            faults.append(
                Self.headerFault(
                    header.line, hasSemicolons ? "has semicolons: save it with commas" : "is \(written)\(unseen)"))
            faults.sort { $0.line < $1.line }
            return nil
        }
        return known
    }

    private mutating func fault(_ line: Int, _ text: String) { faults.append(.init(line: line, text)) }

    private mutating func user(_ record: CSVFile.Record, _ columns: [Column]) -> User? {
        guard record.fields.count == columns.count else {
            let (has, wants) = (record.fields.count, columns.count)
            fault(record.line, "has \(has) value\(has == 1 ? "" : "s"); \(wants) are needed, as in the first line.")
            return nil
        }
        let values = Dictionary(zip(columns, record.fields.map(\.trimmed))) { first, _ in first }
        let email = email(values[.email] ?? "", record.line)
        let name = name(values[.name] ?? "", record.line)
        let groups = groups(values[.groups] ?? "", record.line)
        let until = until(values[.until], record.line)
        namedGroups.append((record.line, groups))
        guard let email else { return nil }
        return User(line: record.line, email: email, name: name, groups: groups, until: until)
    }

    private mutating func email(_ text: String, _ line: Int) -> EmailAddress? {
        do { return try Entered.address(text) } catch {
            fault(line, "email: \"\(text)\" is not an email address. \(error) Use one such as ann@example.com.")
            return nil
        }
    }

    private mutating func name(_ text: String, _ line: Int) -> String? {
        guard !text.isEmpty else { return nil }
        if let name = DisplayName.ofClient(text) { return name }
        fault(line, "name: \(DisplayName.problem(ofClient: text))")
        return nil
    }

    private mutating func groups(_ text: String, _ line: Int) -> [String] {
        var groups: [String] = []
        for part in text.split(separator: ";").map({ String($0).trimmed }) where !part.isEmpty {
            if !ClientID.isWellFormed(part) {
                fault(
                    line,
                    "groups: \"\(part)\" must be the id of a group: \(ClientID.rule). Separate groups with ; for example staff;finance."
                        + UnseenCharacter.sentence(about: part, after: "")
                )
            } else if !groups.contains(part) {
                groups.append(part)
            }
        }
        return groups
    }

    private mutating func until(_ text: String?, _ line: Int) -> Until? {
        guard let text else { return nil }
        if text.isEmpty { return .never }
        if let end = EndDate.read(text) { return .end(end) }
        fault(line, "until: \"\(text)\" is not a day. Use a form such as 2027-06-30, or nothing for no end.")
        return nil
    }
}

extension String {
    /// Without spaces and tabs at its ends.
    fileprivate var trimmed: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
