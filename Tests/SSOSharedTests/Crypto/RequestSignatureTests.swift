import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Request signatures", .rules)
struct RequestSignatureTests {
    let body = [UInt8](#"{"token":"sst_x"}"#.utf8)

    private func secret(_ text: String = "correct-horse-battery-staple-0123456789") throws -> SharedSecret {
        try SharedSecret.parse(text, setting: "S")
    }

    @Test("a signature survives its header and matches itself, with digits of either case")
    func roundTrip() throws {
        let signature = RequestSignature.request(body: body, secret: try secret())
        let digits = signature.headerValue.dropFirst(7)
        #expect(signature.headerValue.hasPrefix("sha256=") && digits.count == 64 && digits == digits.lowercased())
        #expect(RequestSignature(headerValue: signature.headerValue)?.matches(signature) == true)
        #expect(RequestSignature(headerValue: "sha256=" + digits.uppercased())?.matches(signature) == true)
    }

    @Test("a body with one changed bit has another signature")
    func oneBit() throws {
        let secret = try secret()
        let signature = RequestSignature.request(body: body, secret: secret)
        for bit in 0..<body.count * 8 {
            var changed = body
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!RequestSignature.request(body: changed, secret: secret).matches(signature))
        }
    }

    @Test("bytes that a String would repair to the same text have different signatures")
    func rawBytes() throws {
        let secret = try secret()
        #expect(
            String(decoding: [0x61, 0xff] as [UInt8], as: UTF8.self)
                == String(decoding: [0x61, 0xfe] as [UInt8], as: UTF8.self))
        #expect(
            !RequestSignature.request(body: [0x61, 0xff], secret: secret)
                .matches(.request(body: [0x61, 0xfe], secret: secret)))
    }

    @Test("an answer's signature depends on body, request and secret, and never matches a request's")
    func answer() throws {
        let secret = try secret()
        let question = RequestSignature.request(body: body, secret: secret)
        let answer = RequestSignature.response(body: [1, 2], to: question, secret: secret)
        #expect(answer.matches(.response(body: [1, 2], to: question, secret: secret)))
        #expect(!answer.matches(.response(body: [1, 3], to: question, secret: secret)))
        #expect(!answer.matches(.response(body: [1, 2], to: answer, secret: secret)))
        #expect(!answer.matches(.request(body: [1, 2], secret: secret)))
        let other = try self.secret("another-key-of-more-than-thirty-two-bytes")
        #expect(!answer.matches(.response(body: [1, 2], to: question, secret: other)))
    }

    @Test(
        "a header of any other form is not a signature",
        arguments: [
            "", "sha256=", "sha256", "sha256:", "sha256=zz",
        ])
    func shapes(_ text: String) {
        let digits = String(repeating: "0a", count: 32)
        #expect(RequestSignature(headerValue: text) == nil)
        for bad in [
            digits, "sha1=\(digits)", "SHA256=\(digits)", " sha256=\(digits)", "sha256=\(digits) ",
            "sha256=\(digits)\n",
            "sha256= \(digits)", "sha256=\(digits)0", "sha256=\(digits.dropLast())", "sha256=\(digits.dropLast())g",
            "sha256=\(digits),sha256=\(digits)", "sha256=\(digits)\(digits)", "sha256=\(digits.dropLast(2))\u{e9}",
        ] { #expect(RequestSignature(headerValue: bad) == nil) }
    }
}
