import SSOShared
import Testing

extension Journeys {
    @Suite("First sign-in")
    struct FirstSignIn {
        @Test(
            "a person with a code from a real letter is signed in at the partner", .enabled(if: SMTPServer.isInstalled))
        func fromPartnerToPartner() async throws {
            let server = try SMTPServer()
            try await server.start()
            try await ProgramPair.running(ProgramPair(mail: .smtp(server))) { pair in
                let visitor = Visitor()
                #expect(try await !visitor.isSignedIn(at: pair.partner))
                let complete = try await visitor.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                #expect(complete.text.contains(pair.partner.name))
                let refresh =
                    try complete.page().refresh ?? complete.reply.header("refresh").flatMap(ScannedPage.parseRefresh)
                #expect(refresh?.seconds == 2)
                #expect(try refresh?.target == complete.callback().absolute)
                let home = try await visitor.follow(visitor.get(complete.callback()))
                #expect(home.status == 200)
                #expect(home.address.absolute == pair.partner.origin + "/")
                #expect(try await visitor.isSignedIn(at: pair.partner))
                #expect(try home.page().form(to: "/sign-out") != nil)
            }
            try await server.stop()
        }

        @Test("the letter is complete, and the code stands alone on a line", .enabled(if: SMTPServer.isInstalled))
        func letter() async throws {
            let server = try SMTPServer()
            try await server.start()
            try await ProgramPair.running(ProgramPair(mail: .smtp(server))) { pair in
                let visitor = Visitor()
                _ = try await visitor.ask(for: "Ann@Example.com", on: visitor.beginSignIn(at: pair.partner))
                let letter = try await pair.letters.letter(to: "ann@example.com")
                for header in ["Date", "From", "Message-ID", "Subject", "MIME-Version"] {
                    #expect(letter.header(header)?.isEmpty == false, "\(header) is missing")
                }
                #expect(letter.header("Auto-Submitted") == "auto-generated")
                #expect(letter.header("Content-Type")?.hasPrefix("multipart/alternative") == true)
                #expect(letter.code != nil)
                #expect(letter.text.contains(pair.partner.name))
            }
            try await server.stop()
        }

        @Test(
            "in a real browser, with and without JavaScript, the page after the code leads back by itself",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func inChromium(javaScript: Bool) async throws {
            try await ProgramPair.running(ProgramPair()) { pair in
                let person = try await Chromium(javaScript: javaScript)
                try await person.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                try await person.arrive("the partner's page") { $0 == pair.partner.origin + "/" }
                _ = try await person.element("form[action$='/sign-out']")
                #expect(try await person.text().contains("ann"))
                try await person.quit()
            }
        }
    }
}

extension Chromium {
    static let submit = ":is(button, input[type=submit])"

    /// From the partner's page to the completion page.
    func signIn(at partner: Partner, of pair: ProgramPair, as address: String) async throws {
        try await visit(partner.origin + "/")
        try await press("a[href*='\(SSOPath.authorize)']")
        let earlier = pair.letters.all(to: address).count
        try await askForCode(address)
        let code = try await pair.letters.code(to: address, count: earlier + 1)
        try await enterCode(code)
        _ = try await element("a[href*='token=']")
    }

    func askForCode(_ address: String) async throws {
        try await type(address, into: "input[name=email]")
        try await press("form:has(input[name=email]) \(Self.submit)")
        _ = try await element("input[name=code]")
    }

    func enterCode(_ code: String) async throws {
        try await type(code, into: "input[name=code]")
        try await press("form:has(input[name=code]) \(Self.submit)")
    }
}
