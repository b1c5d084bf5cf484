package import SSOWeb
package import Storage

/// What a user has said beside the name: whether they were asked for one, and a picture.
package struct Profile: Sendable {
    /// Whether the question what services should call the user has an answer, which may be "not now".
    package let hasAnsweredName: Bool
    /// Nil without a picture.
    package let picture: ProfilePicture.Kind?
}

/// Owns the rows of `account_profile`. Every function works in the caller's transaction.
package enum ProfileStore {
    package static let schema = [
        // The picture stands last: rows are read without it. name_asked_at: the user has answered what services should call them.
        """
        CREATE TABLE account_profile (
            account_id TEXT PRIMARY KEY NOT NULL,
            name_asked_at BIGINT,
            picture_kind TEXT,
            picture BLOB
        )
        """
    ]

    package static func profile(of accountID: String, _ connection: any SQLConnection) throws -> Profile {
        let row = try connection.query(
            "SELECT name_asked_at, picture_kind FROM account_profile WHERE account_id = :id", ["id": .text(accountID)]
        ).first
        return Profile(
            hasAnsweredName: try row?.optionalTimestamp("name_asked_at") != nil,
            picture: try row?.optionalText("picture_kind").flatMap(ProfilePicture.Kind.init))
    }

    package static func picture(of accountID: String, _ connection: any SQLConnection) throws -> ProfilePicture? {
        let row = try connection.query(
            "SELECT picture_kind, picture FROM account_profile WHERE account_id = :id", ["id": .text(accountID)]
        ).first
        guard let row, let kind = try row.optionalText("picture_kind").flatMap(ProfilePicture.Kind.init),
            let bytes = try row.optionalBlob("picture")
        else { return nil }
        return ProfilePicture(kind: kind, stored: bytes)
    }

    /// Notes that the user has answered the question for the name.
    package static func noteNameAnswered(
        by accountID: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO account_profile (account_id, name_asked_at) VALUES (:id, :now)
                ON CONFLICT (account_id) DO UPDATE SET name_asked_at = :now
            """, ["id": .text(accountID), "now": .timestamp(now)])
    }

    /// Gives an account a picture, in place of the one it may have.
    package static func set(
        _ picture: ProfilePicture, of accountID: String, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO account_profile (account_id, picture_kind, picture) VALUES (:id, :kind, :picture)
                ON CONFLICT (account_id) DO UPDATE SET picture_kind = :kind, picture = :picture
            """,
            ["id": .text(accountID), "kind": .text(picture.kind.rawValue), "picture": .blob(picture.bytes)])
    }

    /// - Returns: whether there was one.
    package static func removePicture(of accountID: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_profile SET picture_kind = NULL, picture = NULL
             WHERE account_id = :id AND picture_kind IS NOT NULL
            """, ["id": .text(accountID)]) > 0
    }
}
