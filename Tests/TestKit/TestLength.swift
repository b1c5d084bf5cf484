import Foundation
import Testing

/// Long claims have a short form for every change and a long one for `script/test nightly`: the same claim and code, with
/// another number.
enum TestLength {
    /// `SSO_TEST_LENGTH=nightly` makes a run long.
    static let isNightly = ProcessInfo.processInfo.environment["SSO_TEST_LENGTH"] == "nightly"

    /// The number for this run.
    static func of(short: Int, nightly: Int) -> Int { isNightly ? nightly : short }
}

extension Trait where Self == ConditionTrait {
    /// Only in `script/test nightly`: a partner or a tool takes longer than what it adds to each change.
    static var nightly: Self { .enabled(if: TestLength.isNightly, "script/test nightly") }
}
