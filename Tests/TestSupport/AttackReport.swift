import Foundation

/// What `script/attack` prints of a test: one line with a figure.
enum AttackReport {
    /// Whether tests that can be long are: `SSO_ATTACK=full`.
    static let isFull = ProcessInfo.processInfo.environment["SSO_ATTACK"] == "full"

    static func line(_ attack: String, _ figure: String) {
        if isFull { print("attack: \(attack): \(figure)") }
    }
}
