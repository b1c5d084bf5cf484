import Synchronization

/// The latest value of each key, for as long as this process runs. The keys are issuers and clients of the settings.
final class LatestValues<Value: Equatable & Sendable>: Sendable {
    private let values = Mutex<[String: Value]>([:])

    subscript(key: String) -> Value? { values.withLock { $0[key] } }

    /// - Returns: whether the value is another one than before.
    func set(_ value: Value, for key: String) -> Bool {
        values.withLock { values in
            defer { values[key] = value }
            return values[key] != value
        }
    }
}
