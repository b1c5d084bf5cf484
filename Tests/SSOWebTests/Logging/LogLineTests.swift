import Logging
import Testing

@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// One event is one line, whatever a value contains (ASVS 16.4.1).
@Suite("A line of the log", .rules)
struct LogLineTests {
    static let hostile = [
        "a\nb", "a\r\nb", "a\rb", "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\u{b}b", "a\u{c}b", "a\u{1b}[2Jb",
        "a\u{0}b",
        "a\u{7f}b", "a\u{9b}31mb", "a\u{202e}b", "a\u{200b}b", "\u{feff}a", "a\",\"level\":\"info\",\"x\":\"b", "a\\",
        "a\\\"b", "}\n{\"event\":\"signed in\"}", "\r\n", "a\u{1f600}b", "\u{e000}", "a\tb",
    ]

    private func line(_ format: EventLogHandler.Format, _ message: String, _ metadata: Logger.Metadata) -> String {
        EventLogHandler(label: "idp", format: format).line(
            for: LogEvent(
                level: .info, message: "\(message)", metadata: metadata, source: nil, file: #fileID,
                function: #function,
                line: #line))
    }

    @Test("hostile text stays in its field and in one line", arguments: hostile)
    func json(text: String) throws {
        let line = line(.json, text, ["name": "\(text)", "key\(text)": "x", "list": [.string(text)]])
        #expect(line.utf8.last == 10)
        #expect(line.utf8.count { $0 == 10 } == 1)
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        #expect(!line.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" || $0 == "\u{202e}" })
        // Parsing returns the original text.
        let object = try JSONDecoding.value(Array(line.utf8.dropLast()))
        #expect(object["event"]?.text?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        #expect(object["name"]?.text?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        #expect(object["level"] == "info")
    }

    @Test("the text format is equally safe, and its fields are separate", arguments: hostile)
    func text(text: String) {
        let line = line(.text, text, ["name": "\(text)", "key \(text)": "x"])
        #expect(line.utf8.count { $0 == 10 } == 1 && line.utf8.last == 10)
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        #expect(!line.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" || $0 == "\u{202e}" })
    }

    @Test("counts, statuses and times are numbers in JSON; texts that look like a number, such as an id, stay texts")
    func numbers() throws {
        let line = line(
            .json, "request", ["status": .number(404), "count": .number(UInt8(7)), "id": "123", "left": .number(-1)])
        #expect(line.contains(#""count":7,"id":"123","left":-1,"status":404"#), "\(line)")
        #expect(self.line(.text, "request", ["status": .number(404), "id": "123"]).hasSuffix(" id=123 status=404\n"))
    }

    @Test("the sentences of the web framework at info are not written: the programs log the same events")
    func framework() {
        func isWritten(_ level: Logger.Level, _ file: String, _ message: Logger.Message = "Server started") -> Bool {
            EventLogHandler.isWritten(
                LogEvent(
                    level: level, message: message, metadata: nil, source: nil, file: file, function: "f",
                    line: 1))
        }
        #expect(!isWritten(.info, "HummingbirdCore/Server.swift"))
        #expect(
            isWritten(.warning, "HummingbirdCore/Server.swift") && isWritten(.debug, "HummingbirdCore/Server.swift"))
        #expect(isWritten(.info, "IdP/VerifyRoutes.swift"))
        // A start that has failed says why; that its listeners were cancelled follows from it.
        let end: Logger.Message = "Waiting on child channel: CancellationError()"
        #expect(!isWritten(.error, "HummingbirdCore/Server.swift", end) && isWritten(.error, "IdP/A.swift", end))
    }

    @Test("fields of an event cannot replace the standard fields")
    func reserved() throws {
        let fields: Logger.Metadata = ["level": "x", "event": "x", "time": "x", "program": "x"]
        let line = line(.json, "refused", fields)
        // The parser is strict: a duplicate key is refused.
        let object = try JSONReader.readStrictly(Array(line.utf8.dropLast()))
        #expect(try object.text("event") == "refused")
        #expect(try object.text("level") == "info")
    }
}
