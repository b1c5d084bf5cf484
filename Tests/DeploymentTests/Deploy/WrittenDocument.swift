import Foundation
import Testing

/// A document that a test compares with what it is made of, and writes with `SSO_TEST_WRITE=1`.
enum WrittenDocument {
    static func expect(_ file: URL, _ text: String) throws {
        if ProcessInfo.processInfo.environment["SSO_TEST_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let present = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let wanted = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in wanted.enumerated() where index >= present.count || present[index] != line {
            Issue.record(
                "\(file.lastPathComponent), line \(index + 1), must be \"\(line)\". Write it with SSO_TEST_WRITE=1.")
            return
        }
        #expect(present.count == wanted.count, "\(file.lastPathComponent)")
    }
}
