import Foundation

/// The folder `Tests/Vectors`: inputs and expected results that several targets read.
enum TestVectors {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors")
    /// The folder `Tests`.
    static let tests = folder.deletingLastPathComponent()
    /// The root of the repository.
    static let repository = tests.deletingLastPathComponent()
}

/// The folder `deploy`.
enum DeployFiles {
    static let folder = TestVectors.repository.appending(path: "deploy")

    static func lines(_ file: String) throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
