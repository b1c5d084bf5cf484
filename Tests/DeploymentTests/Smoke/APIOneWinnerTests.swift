import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The JSON API over several processes", .smoke)
struct APIOneWinnerTests {
    @Test("of 100 right codes at three processes one gets a token, which holds after a crash")
    func oneToken() async throws {
        let pair = try ProcessDeployment(idps: 3)
        for process in pair.idps { try await process.start() }
        let ports = pair.idps.map(\.port)
        @Sendable func app(_ index: Int) -> JSONApp {
            JSONApp(port: ports[index % ports.count], authority: "localhost:\(ports[0])")
        }
        let challenge = try await app(0).begin("ann@example.com").json()["challenge"]?.text ?? ""
        let code = try await pair.mailbox.code(to: "ann@example.com")
        let answers = try await atOnce(100) { index in
            let one = app(index)
            let status = try await one.finish(challenge, code).status
            return (status, one.token)
        }
        #expect(answers.count { $0.0 == 200 } == 1 && answers.allSatisfy { $0.0 == 200 || $0.0 == 401 })
        let token = try #require(answers.compactMap(\.1).first)
        try await pair.idps[1].kill()
        try await pair.idps[1].start()
        for index in ports.indices {
            #expect(try await app(index).send("GET", "/me", token: token).status == 200)
        }
        for process in pair.idps { try await process.terminate() }
    }
}
