import Foundation
import Testing

@testable import IdP
@testable import TestSupport

@Suite("Outbox folder")
struct OutboxMailerTests {
    private let folder: TemporaryFolder
    private let outbox: OutboxMailer

    init() throws {
        folder = try TemporaryFolder()
        outbox = OutboxMailer(folder: folder.path(of: "var/outbox"))
    }

    @Test("letters are listed newest first, as a person reads them, and no more than asked for")
    func listed() async throws {
        for number in Int64(1)...5 {
            try await outbox.send(
                try Letter.example(
                    id: "letter-\(9 - number)", milliseconds: 1_795_232_129_123 + number,
                    subject: "Schlüssel \(number)",
                    text: "Größe \(number)\n"))
        }
        let letters = outbox.letters(limit: 3)
        #expect(letters.map(\.subject) == ["Schlüssel 5", "Schlüssel 4", "Schlüssel 3"])
        #expect(letters.first?.to == "ann@client.example")
        #expect(letters.first?.text == "Größe 5\n")
        #expect(letters.first?.date == "Sat, 21 Nov 2026 03:35:29 +0000")
    }

    @Test("files are for the owner alone, whole, and named by time")
    func files() async throws {
        try await outbox.send(try Letter.example(id: "../../evil"))
        let names = try FileManager.default.contentsOfDirectory(atPath: outbox.folder)
        #expect(names == ["20261121T033529.123Z-------evil.eml"])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(outbox.folder)/\(names[0])")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let around = try FileManager.default.attributesOfItem(atPath: outbox.folder)
        #expect(around[.posixPermissions] as? Int == 0o700)
    }

    @Test("a folder that cannot be made is a temporary failure, and an empty or strange folder lists what it can")
    func trouble() async throws {
        try folder.write("a file", to: "file")
        await #expect(throws: MailFailure.self) {
            try await OutboxMailer(folder: folder.path(of: "file/outbox")).send(try Letter.example())
        }
        #expect(outbox.letters().isEmpty)
        _ = try folder.folder("var/outbox")
        try folder.write("", to: "var/outbox/empty.eml")
        try folder.write("no header at all", to: "var/outbox/odd.eml")
        try folder.write("Content-Type: x; boundary=\"b\"\r\n\r\n--b", to: "var/outbox/cut.eml")
        #expect(outbox.letters().count == 3)
    }
}
