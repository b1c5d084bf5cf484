package import SSOWeb
import Storage

package enum AccountTable: StoredTable { package static let name = "account" }

extension StoredRows {
    package var accounts: TableRows<AccountTable> { rows() }
}

extension TableRows where Table == AccountTable {
    package func of(_ address: String) -> Self { with("email = \(quoted(address))") }
    package func id(_ id: String) -> Self { with("id = \(quoted(id))") }
    package func username(_ name: String) -> Self { with("username = \(quoted(name))") }
    package func named(_ name: String) -> Self { with("name = \(quoted(name))") }
    /// The first one by address.
    package var first: Self { with("email = (SELECT MIN(email) FROM account)") }
    package var disabled: Self { with("disabled = 1") }
    package var toBeErased: Self { with("erase_at > 0") }
    /// Those that an operator has added.
    package var added: Self { with("added_at IS NOT NULL") }
    package var notAdded: Self { with("added_at IS NULL") }
    package var notImported: Self { with("imported_at IS NULL") }
    /// Those that nobody has signed in to.
    package var untouched: Self { with("begun_at IS NULL") }
    /// Those whose sign-ins were ended more often.
    package func signedOut(moreThan times: Int) -> Self { with("sign_outs > \(times)") }

    /// The ids by address.
    package func ids() async throws -> [String] { try await texts("id", by: "email") }

    /// The ids in the order in which the accounts were made.
    package func idsByAge() async throws -> [String] { try await texts("id", by: "created_at, email") }

    /// The id and the username of each, by id.
    package func usernames() async throws -> [String] {
        try await texts("id || ' ' || COALESCE(username, '-')", by: "id")
    }

    /// The id, the address, and 1 for a disabled one, by id.
    package func summaries() async throws -> [String] {
        try await texts("id || ' ' || email || ' ' || disabled", by: "id")
    }

    /// How often all sign-ins were ended; nil without an account.
    package func signOuts() async throws -> Int? { try await number("SUM(sign_outs)") }

    package func disable() async throws { try await set("disabled = 1") }
    package func enable() async throws { try await set("disabled = 0") }
    /// Ends all sign-ins: what goes back to one of them is refused.
    package func endSignIns() async throws { try await set("sign_outs = sign_outs + 1") }
    package func setSignOuts(_ count: Int) async throws { try await set("sign_outs = \(count)") }
    package func rename(_ name: String) async throws { try await set("name = \(quoted(name))") }
    package func addToName(_ text: String) async throws { try await set("name = name || \(quoted(text))") }
    package func setAddress(_ address: String) async throws { try await set("email = \(quoted(address))") }
    package func setUsername(_ name: String) async throws { try await set("username = \(quoted(name))") }
    /// As if an operator had added them.
    package func setAdded() async throws { try await set("added_at = 1") }
    /// As if no operator had added them.
    package func setNotAdded() async throws { try await set("added_at = NULL") }
    package func setImported() async throws { try await set("imported_at = 1") }
    /// As if somebody had signed in.
    package func setBegun() async throws { try await set("begun_at = 1") }
    package func erase(at moment: Timestamp) async throws { try await set("erase_at = \(moment.milliseconds)") }
    /// - Parameter isDone: whether their sign-ins were ended for that.
    package func end(at moment: Timestamp, isDone: Bool = false) async throws {
        try await set("ends_at = \(moment.milliseconds), end_done = \(isDone ? 1 : 0)")
    }

    package func add(_ accounts: AddedAccount...) async throws { try await add(accounts) }

    package func add(_ accounts: [AddedAccount]) async throws { try await insert(accounts.map(\.values)) }
}

/// An account as a test adds it. Its moments are in the distant past.
package struct AddedAccount: Sendable {
    let values: SQLArguments

    package init(
        _ id: String, _ address: String, name: String = "N", isDisabled: Bool = false, isAdded: Bool = false,
        begunAt: Timestamp? = nil, endsAt: Timestamp? = nil, erasedAt: Timestamp? = nil
    ) {
        values = [
            "id": .text(id), "email": .text(address), "name": .text(name), "created_at": .integer(1),
            "disabled": .integer(isDisabled ? 1 : 0), "added_at": .optional(isAdded ? 1 : nil as Int64?),
            "begun_at": .optional(begunAt?.milliseconds), "ends_at": .optional(endsAt?.milliseconds),
            "erase_at": .optional(erasedAt?.milliseconds),
        ]
    }
}

package enum UsedUsernameTable: StoredTable { package static let name = "used_username" }

extension StoredRows {
    package var usedUsernames: TableRows<UsedUsernameTable> { rows() }
}

extension TableRows where Table == UsedUsernameTable {
    package func add(digest: [UInt8]) async throws { try await insert([["digest": .blob(digest)]]) }
}
