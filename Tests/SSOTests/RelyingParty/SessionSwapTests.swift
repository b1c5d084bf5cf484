import Foundation
import Testing

/// Fixation and mixed-up people (ASVS 7.2.4): a sign-in begins a new session, and only the one it was for.
@Suite("The relying party's session at a sign-in")
struct SessionSwapTests {
    @Test("the session id is replaced, and the one that was planted or seen before is invalid")
    func fixation() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let victim = house.visitor()
            let state = try await victim.state(at: house.partner)
            let before = victim.twin()
            _ = try await victim.comeBack(to: house.partner, state: state)
            #expect(victim.cookies != before.cookies)
            #expect(try await before.userID(at: house.partner) == nil)
            #expect(try await victim.userID(at: house.partner) == "u1")
        }
    }

    @Test("an id that the server did not give out is never adopted", arguments: ["rp_session", "__Host-rp_session"])
    func planted(name: String) async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let planted = String(repeating: "A", count: 43)
            visitor.setCookie(name, to: planted, at: "127.0.0.2")
            let state = try await visitor.state(at: house.partner)
            _ = try await visitor.comeBack(to: house.partner, state: state)
            #expect(visitor.cookie("rp_session", at: "127.0.0.2") != planted)
            #expect(try await visitor.userID(at: house.partner) == "u1")
        }
    }

    @Test("a user who signs in over another user's session gets a new one, and the other one ends")
    func swap() async throws {
        let idp = try FakeIdP { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains("sst_AAAA")
            let reply = FakeIdP.reply(user: isFirst ? "ann" : "bob", email: isFirst ? "ann@x.example" : "bob@x.example")
            return .bytes(FakeIdP.signed(request, reply))
        }
        try await idp.open { house in
            let visitor = house.visitor()
            let states = [try await visitor.state(at: house.partner), try await visitor.state(at: house.partner)]
            let ann = "sst_" + String(repeating: "A", count: 43)
            _ = try await visitor.comeBack(to: house.partner, [("token", ann), ("state", states[0])])
            #expect(try await visitor.userID(at: house.partner) == "ann")
            let asAnn = visitor.twin()
            _ = try await visitor.comeBack(to: house.partner, state: states[1])
            #expect(try await visitor.userID(at: house.partner) == "bob")
            let account = try await visitor.get(house.partner.origin + "/account")
            #expect(account.text.contains("bob@x.example") && !account.text.contains("ann"))
            #expect(try await asAnn.userID(at: house.partner) == nil)
        }
    }

    @Test("users are identified by the IdP's id: an address that now belongs to another user opens no account")
    func byID() async throws {
        let idp = try FakeIdP { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains("sst_AAAA")
            return .bytes(FakeIdP.signed(request, FakeIdP.reply(user: isFirst ? "old-owner" : "new-owner")))
        }
        try await idp.open { house in
            let (old, new) = (house.visitor(), house.visitor())
            let first = "sst_" + String(repeating: "A", count: 43)
            _ = try await old.comeBack(
                to: house.partner, [("token", first), ("state", old.state(at: house.partner))])
            _ = try await new.comeBack(to: house.partner, state: new.state(at: house.partner))
            #expect(try await old.userID(at: house.partner) == "old-owner")
            #expect(try await new.userID(at: house.partner) == "new-owner")
        }
    }

    @Test("twenty people who sign in at the same time are each themselves")
    func noMixUp() async throws {
        let idp = try FakeIdP { request in
            // The token names the person: whoever gets another answer than their own is somebody else.
            let body = String(decoding: request.body, as: UTF8.self)
            let number = body.components(separatedBy: "sst_").dropFirst().first?.prefix(2) ?? "?"
            return .bytes(FakeIdP.signed(request, FakeIdP.reply(user: "user-\(number)")))
        }
        try await idp.open { house in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 10..<30 {
                    let visitor = house.visitor()
                    group.addTask {
                        let token = "sst_\(number)" + String(repeating: "A", count: 41)
                        let state = try await visitor.state(at: house.partner)
                        _ = try await visitor.comeBack(to: house.partner, [("token", token), ("state", state)])
                        #expect(try await visitor.userID(at: house.partner) == "user-\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("signing out ends the session itself and not just the cookie, and only by a form of this session")
    func signOut() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let home = try await visitor.follow(
                visitor.comeBack(to: house.partner, state: visitor.state(at: house.partner)))
            let address = try home.address.resolving("/sign-out")
            #expect(try await visitor.post(address, []).status == 403)
            #expect(try await visitor.post(address, [("form_token", String(repeating: "A", count: 43))]).status == 403)
            #expect(try await visitor.get(address).status == 405)
            #expect(try await visitor.userID(at: house.partner) == "u1")
            let thief = visitor.twin()
            _ = try await visitor.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(try await visitor.userID(at: house.partner) == nil)
            #expect(try await thief.userID(at: house.partner) == nil)
        }
    }
}
