import Foundation
import Synchronization
import Testing

@testable import WebTestKit

/// How many deployments a run of tests opens, printed at its end. Each is two programs, two databases with every migration,
/// and their workers: most of the time of the tests goes there.
enum DeploymentCount {
    /// By the name of the suite.
    private static let opened = Mutex<[String: Int]>([:])

    /// Counts one for the suite of the test that runs.
    static func add() {
        _ = printsAtExit
        let suite =
            Test.current.map { "\($0.id)".split(separator: "/", maxSplits: 1).first ?? "" }.map(String.init) ?? "none"
        opened.withLock { $0[suite, default: 0] += 1 }
    }

    private static let printsAtExit: Void = {
        atexit {
            let suites = DeploymentCount.opened.withLock { $0 }
            print("Deployments opened: \(suites.values.reduce(0, +)), by \(suites.count) suites.")
            guard ProcessInfo.processInfo.environment["SSO_TEST_DEPLOYMENTS"] != nil else { return }
            for (suite, count) in suites.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }) {
                print("  \(count)  \(suite)")
            }
        }
    }()
}
