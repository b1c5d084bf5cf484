import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The limit of open files", .rules)
struct OpenFilesTests {
    @Test(
        "leaves a reserve beside the connections",
        arguments: [(64, 8), (100, 26), (256, 104), (1_024, 488), (3_120, 1_536), (16_384, 1_536)])
    func connections(limit: Int, connections: Int) {
        #expect(OpenFiles.connections(atMost: 1_536, of: limit) == connections)
    }

    @Test("is a warning with the way out where it is too low")
    func warning() throws {
        #expect(OpenFiles.warning(of: 256) == nil)
        let words = try #require(OpenFiles.warning(of: 255))
        #expect(words.contains("only 103 connections") && words.contains("LimitNOFILE="), "\(words)")
    }
}
