import Storage

/// Serves reads, each on a snapshot of its own.
struct PostgresReader: Sendable {
    let queue: CallQueue
    let timing: PostgresTiming
    let connector: PostgresConnector

    /// Takes one call and serves it.
    func serve(_ connection: PostgresConnection) {
        guard var call = queue.take(1).first else { return }
        guard call.arrived + timing.patience > .now else {
            return call.fail(.unavailable("too many requests wait for the database"))
        }
        connection.session.deadline = call.arrived + timing.limit
        do throws(PostgresError) {
            if !connection.isSettled {
                // Also for a statement without a transaction.
                _ = try connection.session.texts("SELECT set_config('default_transaction_read_only', 'on', false)")
                connection.isSettled = true
            }
            for mode in PostgresConnection.ReadMode.allCases {
                connection.beginRead(mode)
                switch connection.run(call, carefully: mode == .careful) {
                case .succeeded(let answer), .failed(let answer):
                    connection.endRead()
                    return answer(nil)
                case .wentOn: try connection.rollBack()
                case .broken(let error): throw error
                }
            }
            call.fail(.unavailable("PostgreSQL has refused to undo a statement"))
        } catch {
            if error.cause == .lost { connector.note(error) } else { try? connection.rollBack() }
            call.runs += 1
            guard call.runs < timing.runs, call.arrived + timing.patience > .now else {
                return call.fail(error.asDatabaseError.asUnavailable)
            }
            queue.putBack([call])
        }
    }
}
