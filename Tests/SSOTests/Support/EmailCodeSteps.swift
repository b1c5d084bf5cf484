import SSOShared
import SSOWeb

/// A browser that has asked for a code, the page it waits on, and the code in its letter.
struct Asking: Sendable {
    let visitor: Visitor
    let waiting: Visit
    let code: String

    /// Six digits that are not the code.
    var wrong: String { code == "000000" ? "000001" : "000000" }

    /// Sends the code form, once; redirects are not followed.
    @discardableResult
    func guess(_ typed: String) async throws -> Visit {
        try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": typed])
    }
}

extension House {
    /// Asks for a code on the IdP's own sign-in page and reads it in the letter that comes.
    func asking(_ address: String = "ann@example.com", by visitor: Visitor? = nil) async throws -> Asking {
        let visitor = visitor ?? self.visitor()
        let earlier = Set(letters.all(to: address).map(\.name))
        let waiting = try await visitor.ask(for: address, on: visitor.get(origin + "/sign-in"))
        let letter = try await eventually("a new letter to \(address)") {
            letters.all(to: address).first { !earlier.contains($0.name) }
        }
        guard let code = letter.code else { throw ProbeFailure("no code alone on a line of:\n\(letter.text)") }
        return Asking(visitor: visitor, waiting: waiting, code: code)
    }

    /// The page that waits for a code, whether or not a letter comes.
    func waiting(for address: String, by visitor: Visitor) async throws -> Visit {
        try await visitor.ask(for: address, on: visitor.get(origin + "/sign-in"))
    }

    /// Types so many wrong codes for an address, five a browser, whether or not letters come.
    func typeWrongCodes(_ count: Int, for address: String = "ann@example.com") async throws {
        for start in stride(from: 0, to: count, by: 5) {
            let visitor = visitor()
            let waiting = try await waiting(for: address, by: visitor)
            for _ in start..<min(start + 5, count) {
                _ = try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
            }
        }
    }

    /// The one number that a query answers.
    func count(_ sql: String) async throws -> Int {
        try await database.read { connection in Int(try connection.query("SELECT (\(sql)) AS n")[0].integer("n")) }
    }

    /// How many letters to an address are or were to be sent.
    func lettersQueued(to address: String = "ann@example.com") async throws -> Int {
        try await count("SELECT COUNT(*) FROM letter WHERE address = '\(address)' AND challenge_id IS NOT NULL")
    }

    /// How many wrong codes are held against an address.
    func failures(of address: String = "ann@example.com") async throws -> Int {
        try await count("SELECT COUNT(*) FROM code_guess WHERE address = '\(address)'")
    }
}

extension Visitor {
    /// Whether the IdP's home page knows this browser's person.
    func isKnownAtHome(of house: House) async throws -> Bool {
        try await get(house.origin + "/").page().form(to: "/sign-out") != nil
    }

    /// The session cookie at the IdP.
    var session: String? { cookie("idp_session", at: "localhost") }
}
