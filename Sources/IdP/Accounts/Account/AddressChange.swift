package import SSOWeb
import Storage

/// A change of an account's address that its user has asked for.
package struct AddressChange: Sendable {
    /// What becomes of the email to the new address. The raw values are stored and never change. The user who asks sees no
    /// difference.
    package enum Fate: String, Sendable {
        /// It has the code.
        case code
        /// Another account has the address: its owner is told instead, and no code is right.
        case taken
        /// The address may not become that of the account: nothing is sent, and no code is right.
        case refused
    }

    /// How long its code can be typed.
    package static let codeLifetime: Duration = .minutes(10)
    /// Wrong codes, before it accepts none.
    package static let maximumTries = 5
    /// How long the owner of the old address can stop it. Nobody else gets the old address in that time.
    package static let stoppable: Duration = .hours(24)
    /// Changes that one account may ask for in a day, and that all accounts together may ask for one address.
    static let perAccount: Int64 = 5
    static let perAddress: Int64 = 4

    package let id, accountID, oldAddress, newAddress: String
    package let fate: Fate
    package let language: Language
    package let tries: Int
    package let createdAt: Timestamp
    package let changedAt, stoppedAt: Timestamp?

    /// Until when the owner of the old address can stop it; nil before it was made.
    package var stoppableUntil: Timestamp? { changedAt.map { $0 + Self.stoppable } }
}

extension AddressChange {
    init(_ row: any SQLColumns) throws {
        (id, accountID) = (try row.text("id"), try row.text("account_id"))
        (oldAddress, newAddress) = (try row.text("old_address"), try row.text("new_address"))
        // One that this version does not know sends nothing.
        fate = Fate(rawValue: try row.text("fate")) ?? .refused
        language = Language(rawValue: try row.text("language")) ?? .english
        tries = Int(try row.integer("tries"))
        createdAt = try row.timestamp("created_at")
        (changedAt, stoppedAt) = (try row.optionalTimestamp("changed_at"), try row.optionalTimestamp("stopped_at"))
    }
}

/// Why a user cannot change the address of an account at all.
package enum FixedAddress: Sendable, Equatable {
    /// A file of users names it: the next import would take the account for another one.
    case imported
    /// `IDP_ADMINS` names it: the role would end, which no page may do.
    case admin
    /// It was changed, which can be stopped until this moment.
    case recent(Timestamp)
    /// The account has asked for as many changes as it may in a day.
    case often
}
