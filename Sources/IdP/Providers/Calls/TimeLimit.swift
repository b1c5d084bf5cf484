/// Limits how long a request waits for a provider, in real time.
package enum TimeLimit {
    /// What the body returns or throws. When the limit passes first, the body is cancelled and not waited for.
    package static func run<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        let (results, first) = AsyncStream.makeStream(
            of: Result<Value, ProviderError>.self, bufferingPolicy: .bufferingOldest(1))
        let call = Task {
            do throws(ProviderError) {
                first.yield(.success(try await body()))
            } catch {
                first.yield(.failure(error))
            }
        }
        let timer = Task {
            try? await Task.sleep(for: limit, clock: .continuous)
            first.yield(.failure(.timedOut))
        }
        defer {
            call.cancel()
            timer.cancel()
        }
        for await result in results { return try result.get() }
        throw .cancelled
    }
}
