import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The limit of open files", .rules)
struct OpenFilesTests {
    @Test(
        "leaves a reserve beside the connections",
        arguments: [(64, 1), (100, 18), (256, 96), (1_024, 480), (3_136, 1_536), (16_384, 1_536)])
    func connections(limit: Int, connections: Int) {
        #expect(OpenFiles.connections(atMost: 1_536, of: limit) == connections)
    }

    @Test("prevents the start where it is too low, with the way out")
    func problem() throws {
        #expect(OpenFiles.problem(of: 256) == nil)
        let words = try #require(OpenFiles.problem(of: 255))
        #expect(words.contains("at most 255 are allowed") && words.contains("LimitNOFILE="), "\(words)")
    }
}
