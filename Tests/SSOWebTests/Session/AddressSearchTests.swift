import SSOShared
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("An address in what others have written", .rules)
struct AddressSearchTests {
    private func kept(_ text: String, without address: String = "bob@example.com") -> Bool {
        let stored = "{\"slot\":{\"list\":[1,\(JSONText.string(text))]},\"other\":true}"
        let left = SessionSlots(stored: stored).without(address)
        #expect(left == stored || left == "{\"other\":true}")
        return left == stored
    }

    @Test(
        "is found alone, in a sentence, in a URL however it is encoded, and in a form that waits as JSON",
        arguments: [
            "bob@example.com", "BOB@Example.com", "<bob@example.com>", "To bob@example.com.",
            "a@b.example, bob@example.com",
            "client_id=a&login_hint=bob%40example.com&x=y", "login_hint=%62ob%40example%2Ecom",
            "next=https%3A%2F%2Fa.example%2F%3Fuser%3Dbob%40example.com",
            "next=%2F%3Fa%3D%252F%253Fuser%253Dbob%2540example.com", "/users/bob@example.com/x",
            "line\nbob@example.com\n",
            #"{"fields":{"addresses":["ann@example.com\nbob@example.com"]}}"#,
            #"{"a":"{\"b\":\"x\\nbob@example.com\"}"}"#, "jimbob@example.com bob@example.com", "a=1#bob@example.com",
        ])
    func found(_ text: String) { #expect(!kept(text)) }

    @Test(
        "is not found as a part of another address",
        arguments: [
            "jimbob@example.com", "jim.bob@example.com", "jim-bob@example.com", "jim_bob@example.com",
            "jim+bob@example.com", "login_hint=jim%2Bbob%40example.com", "o'bob@example.com", "übob@example.com",
            "0bob@example.com", "bob@example.com.au", "bob@example.company", "bob@example.com-a.example",
            "bob@example.comé", "bob@example", "bob", "", "bob%40example%2Ecom%2Eau",
        ])
    func another(_ text: String) { #expect(kept(text)) }

    @Test("percent signs and nested JSON without end end the search")
    func hostile() {
        #expect(kept(String(repeating: "%25", count: 5000) + "bob%40example.com.au"))
        #expect(kept(String(repeating: "{\"a\":", count: 5000)))
    }

    @Test("a key of an object counts as well, and an address beyond ASCII")
    func others() {
        let stored = #"{"slot":{"müller/b@example.com":1}}"#
        #expect(SessionSlots(stored: stored).without("müller/b@example.com") == "{}")
        #expect(!kept("hint=m%C3%BCller%2Fb%40example.com", without: "müller/b@example.com"))
    }
}
