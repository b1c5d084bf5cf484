import Foundation

@testable import TestKit

/// What the comment of a block for HAProxy says to put elsewhere.
struct HAProxyBlock {
    /// Lines of "global", with gate.lua of this repository.
    let global: [String]
    /// A frontend for a port that has none.
    let frontend: [String]
    /// The lines that choose the backends, in the frontend.
    let choices: [String]

    init(_ block: String) {
        let script = TestVectors.repository.appending(path: "deploy/gate/gate.lua").path()
        let lines = block.split(separator: "\n").filter { $0.hasPrefix("#     ") }
            .map { String($0.dropFirst(6)).replacing("/etc/haproxy/gate.lua", with: script) }
        let others = lines.filter { !$0.hasPrefix("use_backend ") }
        let start = others.firstIndex(of: "frontend web") ?? others.endIndex
        choices = lines.filter { $0.hasPrefix("use_backend ") }
        (global, frontend) = (Array(others[..<start]), Array(others[start...]))
    }
}
