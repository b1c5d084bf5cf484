import Foundation
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import SSOWeb
@testable import TestKit

@Suite("Outbox folder", .rules)
struct OutboxMailerTests {
    private let folder: TemporaryFolder
    private let outbox: OutboxMailer

    init() throws {
        folder = try TemporaryFolder()
        outbox = OutboxMailer(folder: folder.path(of: "var/outbox"))
    }

    @Test("emails are listed newest first, decoded, and no more than asked for")
    func listed() async throws {
        for number in Int64(1)...5 {
            try await outbox.send(
                try EmailMessage.example(
                    id: "email-\(9 - number)", milliseconds: 1_795_232_129_123 + number,
                    subject: "Schlüssel \(number)",
                    text: "Größe \(number)\n"))
        }
        let emails = outbox.items(limit: 3)
        #expect(emails.map(\.item.subject) == ["Schlüssel 5", "Schlüssel 4", "Schlüssel 3"])
        let newest = try #require(emails.first)
        #expect(newest.item.to == "ann@client.example")
        #expect(newest.item.text == "Größe 5\n")
        #expect(newest.item.sentAt.milliseconds == 1_795_232_129_128)
        #expect(outbox.item(named: newest.name)?.subject == "Schlüssel 5")
        #expect(outbox.item(named: newest.name + "x") == nil)
    }

    @Test("files are readable for the owner only, complete, and named by time")
    func files() async throws {
        try await outbox.send(try EmailMessage.example(id: "../../evil"))
        let names = try FileManager.default.contentsOfDirectory(atPath: outbox.folder).sorted()
        let name = "20261121T033529.123Z-------evil"
        #expect(names == [".\(name).json", "\(name).eml"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(outbox.folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let around = try FileManager.default.attributesOfItem(atPath: outbox.folder)
        #expect(around[.posixPermissions] as? Int == 0o700)
    }

    @Test("a folder that cannot be created is a mail error, and files that are not emails are not listed")
    func trouble() async throws {
        try folder.write("a file", to: "file")
        await #expect(throws: MailError.self) {
            try await OutboxMailer(folder: folder.path(of: "file/outbox")).send(try EmailMessage.example())
        }
        #expect(outbox.items().isEmpty)
        _ = try folder.folder("var/outbox")
        try folder.write("", to: "var/outbox/.empty.json")
        try folder.write("no JSON", to: "var/outbox/.odd.json")
        try folder.write("no header at all", to: "var/outbox/odd.eml")
        #expect(outbox.items().isEmpty)
        try await outbox.send(try EmailMessage.example())
        #expect(outbox.items().count == 1)
    }
}
