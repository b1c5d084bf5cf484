import SSOShared
package import Storage

/// The rule that a session holds: the one condition for every statement that asks.
///
/// A row from the future was made while the clock was wrong: it does not count until that time is there. Neither does one
/// of an app that was used while the clock was wrong: it would last longer than it may.
///
/// A remembered session lasts as long as the setting says now, if that is shorter than at its sign-in.
package enum SessionHolds {
    /// The condition on a row of `session`, with the values of ``values(at:_:)``.
    package static let sql = """
        session.expires_at > :now AND session.created_at <= :skewed
        AND ((session.owner IS NULL AND session.is_remembered = 0 AND session.seen_at > :idle)
             OR (session.owner IS NULL AND session.is_remembered = 1 AND session.created_at > :remembered)
             OR (session.owner IS NOT NULL AND session.expires_at <= :latest))
        """

    /// The condition that a session is as it was read, slots included, with the values of ``values(unchanged:at:_:)``.
    package static let unchangedSQL = """
        EXISTS (SELECT 1 FROM session
                 WHERE session.id_digest = :session_id AND session.slots = :session_slots AND \(sql))
        """

    package static func values(
        unchanged session: Session, at now: Timestamp, _ lifetime: SessionLifetime
    ) -> SQLArguments {
        var values = values(at: now, lifetime, further: 8)
        values.append("session_id", .blob(session.id.digest))
        values.append("session_slots", .text(session.slots.encoded()))
        return values
    }

    /// - Parameter further: for how many more values there is to be room.
    package static func values(at now: Timestamp, _ lifetime: SessionLifetime, further: Int = 0) -> SQLArguments {
        var values: SQLArguments = [:]
        values.reserve(5 + further)
        values.append("now", .timestamp(now))
        values.append("skewed", .timestamp(now + ClockSkew.tolerated))
        values.append("idle", .timestamp(now - lifetime.idle))
        values.append("remembered", .timestamp(now - (lifetime.remembered ?? lifetime.absolute)))
        values.append("latest", .timestamp(now + AppSession.lifetime + ClockSkew.tolerated))
        return values
    }
}
