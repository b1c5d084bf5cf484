import Foundation

/// What `script/attack` prints for a test: one line with a figure.
enum AttackReport {
    /// Whether long tests run in full: `SSO_ATTACK=full`.
    static let isFull = ProcessInfo.processInfo.environment["SSO_ATTACK"] == "full"

    static func line(_ attack: String, _ figure: String) {
        if isFull { print("attack: \(attack): \(figure)") }
    }
}
