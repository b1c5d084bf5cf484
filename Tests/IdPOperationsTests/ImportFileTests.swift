import SSOWeb
import Testing

@testable import IdPOperations
@testable import SSOShared
@testable import TestKit

@Suite("CSV files (RFC 4180)", .rules)
struct CSVFileTests {
    private static func records(_ text: String) -> [[String]] { CSVFile(Array(text.utf8)).records.map(\.fields) }

    @Test(
        "takes CRLF and LF, a byte order mark, quotation marks, and empty lines",
        arguments: [
            ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
            ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
            ("\u{feff}a,b\n", [["a", "b"]]),
            ("\"a,1\",\"b\"\"c\"\n", [["a,1", "b\"c"]]),
            ("\"two\r\nlines\",x\n", [["two\r\nlines", "x"]]),
            ("a,\n,b\n", [["a", ""], ["", "b"]]),
            ("a\n\n\r\nb\n", [["a"], ["b"]]),
            ("\"\"\n\"\",\"\"\n", [["", ""]]),
            ("ü,日本\n", [["ü", "日本"]]),
            ("a\r", [["a"]]),
            ("", []),
        ])
    func reads(text: String, expected: [[String]]) {
        #expect(CSVFile(Array(text.utf8)).faults.isEmpty)
        #expect(Self.records(text) == expected)
    }

    @Test("knows the line of each record, after line breaks inside values, too")
    func lines() {
        let file = CSVFile(Array("a\n\"b\nb\"\n\nc\n".utf8))
        #expect(file.records.map(\.line) == [1, 2, 5])
    }

    @Test(
        "reports every fault with its line, and goes on with the next",
        arguments: [
            ("a\nb\"c\nd\n", [2], ["a", "d"]),
            ("\"a\"b\nc\n\"d\" \n", [1, 3], ["c"]),
            ("a\n\"open\nb\n", [2], ["a", "b"]),
            ("a\rb\nc\n", [1], ["c"]),
        ])
    func faults(text: String, lines: [Int], rest: [String]) {
        let file = CSVFile(Array(text.utf8))
        #expect(file.faults.map(\.line) == lines)
        #expect(file.records.map { $0.fields[0] } == rest)
    }

    @Test("names the first line that is not UTF-8")
    func encoding() {
        let file = CSVFile(Array("email\nann@example.com\nM".utf8) + [0xfc, 0x6c, 0x0a])
        #expect(file.faults.map(\.line) == [3] && file.records.isEmpty)
        #expect(file.faults.first?.text.contains("UTF-8") == true)
    }
}

@Suite("Files of users", .rules)
struct ImportFileTests {
    @Test("columns in any order, values trimmed, addresses in lower case, groups once")
    func users() {
        let file = ImportFile(
            Array("until,Email,groups\n2027-06-30, Ann@Example.com ,staff; finance ;staff\n,bob@example.com,\n".utf8))
        #expect(file.faults.isEmpty)
        #expect(file.users.map(\.email.text) == ["ann@example.com", "bob@example.com"])
        #expect(file.users.map(\.groups) == [["staff", "finance"], []])
        #expect(file.users[0].until == EndDate.read("2027-06-30").map(ImportFile.Until.end))
        #expect(file.users[1].until == .never && file.users[1].name == nil)
    }

    @Test("an address counts as a person meant it, and the same user in two spellings is one")
    func entered() {
        let file = ImportFile(
            Array(
                "\u{feff}email\n\u{200e}Ann@Exümple.example\nBob <bob@example.com>\nann@xn--exmple-4ya.example\n".utf8))
        #expect(file.users.map(\.email.text) == ["ann@xn--exmple-4ya.example", "bob@example.com"])
        #expect(file.faults.map(\.line) == [4] && file.faults.first?.text.contains("appears in line 2 already") == true)
    }

    @Test("without the column an end date stays")
    func withoutUntil() { #expect(ImportFile(Array("email\nann@example.com\n".utf8)).users.first?.until == nil) }

    struct Row: Sendable {
        let text: String
        let faults: [(Int, String)]
        init(_ text: String, _ faults: (Int, String)...) { (self.text, self.faults) = (text, faults) }
    }

    static let rows = [
        Row("", (1, "email,name,groups,until")),
        Row("name,groups\nAnn,staff\n", (1, "email,name,groups,until")),
        Row("email,email\na@example.com,b@example.com\n", (1, "is email,email")),
        Row("email,phone\na@example.com,1\n", (1, "is email,phone")),
        Row(
            "email;name;groups;until\na@example.com;;;\n",
            (1, "has semicolons: save it with commas. It must be email,name")),
        Row("email,name\nann@example.com\n", (2, "has 1 value; 2 are needed")),
        Row(
            "email\nann\nbob@example.com\nANN@example.com\nann@example.com\n",
            (2, "\"ann\" is not an email address"), (5, "appears in line 4 already")),
        Row(
            "email\nann..lee@example.com\nann.@example.com\nan\u{a0}n@example.com\n",
            (2, "two full stops in a row"), (3, "ends with a full stop"), (4, "a no-break space at position 3")),
        Row("email,groups\nann@example.com,Staff;ok\n", (2, "\"Staff\" must be the id of a group")),
        Row(
            "email,until\nann@example.com,30.06.2027\nbob@example.com,2027-02-30\n",
            (2, "\"30.06.2027\" is not a day"), (3, "\"2027-02-30\" is not a day")),
        Row(
            "email,groups,until\nann@example.com,Staff,soon\nann@example.com,,\n", (2, "groups: \"Staff\""),
            (2, "\"soon\" is not a day"), (3, "appears in line 2 already")),
        Row(
            "email,name\nann@example.com,\"\u{7}\"\nbob@example.com,b\"ob\n",
            (2, "name: must be visible characters"), (3, "quotation mark")),
    ]

    @Test("every fault has its line, the rule and an example", arguments: rows)
    func faults(row: Row) {
        let file = ImportFile(Array(row.text.utf8))
        #expect(file.faults.map(\.line) == row.faults.map(\.0))
        for (fault, expected) in zip(file.faults, row.faults) {
            #expect(fault.text.contains(expected.1), "\(fault.text)")
        }
    }

    @Test("10,000 users are taken, one more is refused, and so is more than 1 MiB")
    func bounds() {
        func file(_ count: Int) -> ImportFile {
            ImportFile(Array(("email\n" + (1...count).map { "u\($0)@example.com\n" }.joined()).utf8))
        }
        #expect(file(10_000).faults.isEmpty && file(10_000).users.count == 10_000)
        #expect(file(10_001).faults.first?.text.contains("10001 users; at most 10000") == true)
        let large = ImportFile([UInt8](repeating: 0x61, count: (1 << 20) + 1))
        #expect(large.users.isEmpty && large.faults.first?.text.contains("at most 1048576") == true)
    }
}
