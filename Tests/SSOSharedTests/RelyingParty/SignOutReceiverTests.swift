import Foundation
import Testing

@testable import SSOClient
@testable import SSOShared
@testable import TestKit

/// What the vectors cannot say: headers.
@Suite("Sign-out messages", .rules)
struct SignOutReceiverTests {
    private static func message() throws -> (body: [UInt8], signature: String, now: Date) {
        let vector = try BackChannelVector.named("event-session")
        return (
            vector.body, try vector.required("signature"),
            Date(timeIntervalSince1970: try #require(Double(try vector.required("now"))))
        )
    }

    private static func read(signatures: [String], contentTypes: [String] = ["application/json"]) throws -> String {
        let (body, _, now) = try message()
        do {
            _ = try SignOutReceiver(clientID: "partner", secret: BackChannelFixture.secret())
                .read(body, signatures: signatures, contentTypes: contentTypes, now: now)
            return "read"
        } catch let error as SignOutError {
            #expect(VerifyError(body: error.body) == error.code)
            return "\(error.status) \(error.cause)"
        }
    }

    @Test("the signature is there once")
    func signatures() throws {
        let right = try Self.message().signature
        let wrong = "sha256=" + String(repeating: "0", count: 64)
        #expect(try Self.read(signatures: [right]) == "read")
        #expect(try Self.read(signatures: []) == "401 signature_missing")
        for signatures in [[right, right], [right, wrong], [wrong, right], [wrong], [""], ["\(right), \(right)"]] {
            #expect(try Self.read(signatures: signatures) == "401 signature_wrong", "\(signatures)")
        }
    }

    @Test("the type is JSON, once, with parameters or without; the signature is judged first")
    func types() throws {
        let right = try Self.message().signature
        for type in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
            #expect(try Self.read(signatures: [right], contentTypes: [type]) == "read", "\(type)")
        }
        let wrong = [[], ["text/plain"], [""], ["application/jsonp"], ["application/json", "application/json"]]
        for types in wrong {
            #expect(try Self.read(signatures: [right], contentTypes: types) == "400 content_type", "\(types)")
            #expect(try Self.read(signatures: [], contentTypes: types) == "401 signature_missing", "\(types)")
        }
    }
}
