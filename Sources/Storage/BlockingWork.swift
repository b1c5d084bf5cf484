import Dispatch

/// Work that blocks its thread, for the engines.
package enum BlockingWork {
    /// Runs `work` on a thread of Dispatch, not on one of the few threads that run all tasks.
    package static func run<T: Sendable>(
        _ work: @escaping @Sendable () throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        let result: Result<T, DatabaseError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(DatabaseError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
