import Foundation
import Synchronization
import Testing

@testable import WebTestKit

/// How many deployments a run of tests opens, printed at its end. Each is two programs, two databases with every migration,
/// and their workers: most of the time of the tests goes there.
enum DeploymentCount {
    /// By the name of the test.
    private static let opened = Mutex<[String: Int]>([:])

    /// Counts one for the test that runs.
    static func add() {
        _ = printsAtExit
        let test =
            Test.current.map { "\($0.id)".split(separator: "/", maxSplits: 1).first ?? "" }.map(String.init) ?? "none"
        opened.withLock { $0[test, default: 0] += 1 }
    }

    private static let printsAtExit: Void = {
        atexit {
            let tests = DeploymentCount.opened.withLock { $0 }
            print("Deployments opened: \(tests.values.reduce(0, +)), by \(tests.count) tests.")
            guard ProcessInfo.processInfo.environment["SSO_TEST_DEPLOYMENTS"] != nil else { return }
            for (test, count) in tests.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }) {
                print("  \(count)  \(test)")
            }
        }
    }()
}
