import Glibc
import SSOShared
import Testing

extension Journeys {
    @Suite("Something is down")
    struct Trouble {
        @Test("a login goes on where it was after the IdP was restarted in the middle", arguments: [SIGTERM, SIGKILL])
        func restartInTheMiddle(signal: Int32) async throws {
            try await ProgramPair.running(ProgramPair()) { pair in
                let visitor = Visitor()
                let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.beginSignIn(at: pair.partner))
                let code = try await pair.letters.code(to: "ann@example.com")
                try await Self.restart(pair.idp, by: signal)
                let complete = try await visitor.enter(code, on: waiting)
                try await Self.restart(pair.idp, by: signal)
                _ = try await visitor.follow(visitor.get(complete.callback()))
                #expect(try await visitor.isSignedIn(at: pair.partner))
            }
        }

        @Test("a partner that restarts in the middle still knows the state it gave")
        func partnerRestart() async throws {
            try await ProgramPair.running(ProgramPair()) { pair in
                let visitor = Visitor()
                let complete = try await visitor.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                try await Self.restart(pair.partner.process, by: SIGTERM)
                _ = try await visitor.follow(visitor.get(complete.callback()))
                #expect(try await visitor.isSignedIn(at: pair.partner))
            }
        }

        @Test(
            "a dead mail server slows no page, and the letter goes out when it is back",
            .enabled(if: SMTPServer.isInstalled), .timeLimit(.minutes(3)))
        func mailDown() async throws {
            let server = try SMTPServer()
            try await ProgramPair.running(ProgramPair(mail: .smtp(server))) { pair in
                let visitor = Visitor()
                let form = try await visitor.beginSignIn(at: pair.partner)
                let begin = ContinuousClock.now
                let waiting = try await visitor.ask(for: "ann@example.com", on: form)
                #expect(ContinuousClock.now - begin < .seconds(1))
                #expect(try waiting.page().form(with: "code") != nil)
                try await server.start()
                let code = try await pair.letters.code(to: "ann@example.com", within: .seconds(90))
                let complete = try await visitor.enter(code, on: waiting)
                #expect(try complete.page().link(containing: "token=") != nil)
            }
            try await server.stop()
        }

        @Test(
            "a letter that was waiting survives a restart of the IdP", .enabled(if: SMTPServer.isInstalled),
            .timeLimit(.minutes(3)))
        func queueSurvives() async throws {
            let server = try SMTPServer()
            try await ProgramPair.running(ProgramPair(mail: .smtp(server))) { pair in
                let visitor = Visitor()
                let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.beginSignIn(at: pair.partner))
                try await Self.restart(pair.idp, by: SIGKILL)
                try await server.start()
                let code = try await pair.letters.code(to: "ann@example.com", within: .seconds(90))
                let complete = try await visitor.enter(code, on: waiting)
                #expect(try complete.page().link(containing: "token=") != nil)
            }
            try await server.stop()
        }

        @Test("the IdP is down at the callback: a 503 page whose retry starts again and succeeds")
        func downAtTheCallback() async throws {
            try await ProgramPair.running(ProgramPair()) { pair in
                let visitor = Visitor()
                let complete = try await visitor.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                try await pair.idp.terminate()
                let page = try await visitor.get(complete.callback())
                #expect(page.status == 503)
                #expect(try await !visitor.isSignedIn(at: pair.partner))
                try await pair.idp.start()
                let retry = try page.page().link(containing: "/auth/sso/")
                let second = try await visitor.follow(visitor.click(retry, on: page))
                _ = try await visitor.follow(visitor.get(second.callback()))
                #expect(try await visitor.isSignedIn(at: pair.partner))
            }
        }

        @Test("whoever is signed in at the partner stays so while the IdP is down")
        func sessionsOutliveTheIdP() async throws {
            try await ProgramPair.running(ProgramPair()) { pair in
                let visitor = Visitor()
                let complete = try await visitor.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                _ = try await visitor.follow(visitor.get(complete.callback()))
                try await pair.idp.kill()
                try await Self.restart(pair.partner.process, by: SIGKILL)
                #expect(try await visitor.isSignedIn(at: pair.partner))
                try await pair.idp.start()
            }
        }

        private static func restart(_ process: ProgramProcess, by signal: Int32) async throws {
            process.send(signal)
            _ = try await process.waitForExit()
            try await process.start()
        }
    }
}
