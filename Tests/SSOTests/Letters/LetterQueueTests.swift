import Foundation
import SSOWeb
import Testing

@testable import IdP

@Suite("The queue of letters")
struct LetterQueueTests {
    @Test("while no letter can leave, the page comes as always; when one can again, it leaves")
    func downAndBack() async throws {
        try await House.open { house in
            try Self.breakMail(of: house)
            let visitor = house.visitor()
            let waiting = try await house.waiting(for: "ann@example.com", by: visitor)
            #expect(waiting.status == 200)
            try await Self.attempted(house)
            try Self.mendMail(of: house)
            house.clock.advance(by: .seconds(30))
            let code = try await house.letters.code(to: "ann@example.com")
            let asking = Asking(visitor: visitor, waiting: waiting, code: code)
            #expect(try await asking.guess(code).status == 303)
        }
    }

    @Test("a letter whose code has run out meanwhile does not leave")
    func tooLate() async throws {
        try await House.open { house in
            try Self.breakMail(of: house)
            _ = try await house.waiting(for: "ann@example.com", by: house.visitor())
            try await Self.attempted(house)
            house.clock.advance(by: .seconds(600))
            try Self.mendMail(of: house)
            // A later letter that arrives shows that the queue has been gone through.
            _ = try await house.asking("ben@example.com")
            #expect(house.letters.all(to: "ann@example.com").allSatisfy { $0.code != nil })
            try await eventually("the later one is marked") {
                try await house.count("SELECT COUNT(*) FROM letter WHERE sent_at IS NOT NULL") == 1 ? () : nil
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: house.letters.folder).count == 1)
        }
    }

    @Test("no letter leaves about a code that has been used meanwhile")
    func used() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            try Self.breakMail(of: house)
            house.clock.advance(by: .seconds(60))
            _ = try await house.waiting(for: "ann@example.com", by: asking.visitor)
            try await Self.attempted(house)
            #expect(try await asking.guess(asking.code).status == 303)
            try Self.mendMail(of: house)
            house.clock.advance(by: .seconds(60))
            _ = try await eventually("the queue is empty") {
                try await house.count("SELECT COUNT(*) FROM letter WHERE sent_at IS NULL") == 0 ? true : nil
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: house.letters.folder).isEmpty)
        }
    }

    @Test("a letter that waits survives a killed process")
    func restart() async throws {
        let pair = try ProgramPair()
        try await pair.start()
        try Self.breakMail(at: pair.letters.folder)
        let visitor = Visitor()
        let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.get(pair.origin + "/sign-in"))
        // Given back after a try in vain: a letter that dies with the process while it is on its way has a lease of a minute.
        let database = try await SQLiteDatabase(path: pair.databasePath, migrations: IdPMigrations.all)
        try await eventually("the letter is given back") {
            let back = "SELECT 1 AS n FROM letter WHERE attempts > 0 AND due_at < created_at + 30000"
            return try await database.read { try $0.query(back).isEmpty } ? nil : ()
        }
        await database.close()
        try await pair.idp.kill()
        try Self.mendMail(at: pair.letters.folder)
        try await pair.idp.start()
        let code = try await pair.letters.code(to: "ann@example.com")
        let form = try waiting.page().form(with: "code")
        #expect(try await visitor.submit(form, on: waiting, ["code": code]).status == 303)
        try await pair.stop()
    }

    /// Waits until a letter has been tried in vain.
    private static func attempted(_ house: House) async throws {
        _ = try await eventually("an attempt that failed") { house.log.contains("letter not sent") ? true : nil }
    }

    /// Puts a file where the folder of letters was: nothing can be delivered.
    static func breakMail(of house: House) throws { try breakMail(at: house.letters.folder) }
    private static func mendMail(of house: House) throws { try mendMail(at: house.letters.folder) }

    private static func breakMail(at folder: String) throws {
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(fileURLWithPath: folder))
    }

    private static func mendMail(at folder: String) throws {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
}
