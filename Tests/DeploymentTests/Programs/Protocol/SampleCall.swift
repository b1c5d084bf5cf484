import Foundation

@testable import Counterparts
@testable import TestKit

/// One call of a function of a sample.
struct SampleCall: Encodable, Sendable {
    enum Function: String, Encodable {
        case body, sign, check, verify, event, session, ping
        case checkSession = "check_session"
    }

    var call: Function
    var idp = "http://127.0.0.1:1"
    var client = BackChannelFixture.clientID
    var secret = BackChannelFixture.secretText
    var token: String?
    var redirectURI: String?
    var codeVerifier: String?
    /// What is signed, or the body of a response.
    var body: Data?
    var signatures: [String]?
    var requestSignature: String?
    /// The names and values of a request's headers.
    var headers: [[String]]?
    /// The clock, in seconds since 1970.
    var now: Int?
    /// The question: whether this session of this user holds.
    var session, user: String?

    enum CodingKeys: String, CodingKey {
        case call, idp, client, secret, token
        case redirectURI = "redirect_uri"
        case codeVerifier = "code_verifier"
        case body, signatures
        case requestSignature = "request_signature"
        case headers, now, session, user
    }

    /// Reads the response of a vector.
    static func check(_ vector: BackChannelVector) throws -> SampleCall {
        let signature = try vector.required("signature")
        return SampleCall(
            call: .check, client: try vector.required("client"), secret: try vector.required("secret"),
            body: Data(vector.body), signatures: signature.isEmpty ? [] : [signature],
            requestSignature: try vector.required("request-signature"))
    }

    /// Reads the answer of a vector to a question about a session.
    static func checkSession(_ vector: BackChannelVector) throws -> SampleCall {
        var call = try check(vector)
        (call.call, call.user) = (.checkSession, try vector.required("user"))
        return call
    }

    /// Reads the sign-out message of a vector.
    static func event(_ vector: BackChannelVector) throws -> SampleCall {
        let signature = try vector.required("signature")
        return SampleCall(
            call: .event, client: try vector.required("client"), secret: try vector.required("secret"),
            body: Data(vector.body),
            headers: [["Content-Type", "application/json"]]
                + (signature.isEmpty ? [] : [["X-SSO-Signature", signature]]),
            now: Int(try vector.required("now")))
    }
}

/// What a sample made of a call: a text, a response, or a refusal.
struct SampleResult: Decodable, Sendable {
    struct Reply: Decodable, Sendable {
        struct User: Decodable, Sendable {
            let id, email, name: String
            var groups: [String]?
        }
        struct Session: Decodable, Sendable {
            let id: String
            let time: Int?
            let methods: [String]

            enum CodingKeys: String, CodingKey {
                case id
                case time = "authenticated_at"
                case methods
            }
        }

        let user: User
        let session: Session
    }

    /// The answer to a question about a session.
    struct State: Decodable, Sendable {
        let active: Bool
        var reason: String?
        var user: Reply.User?
    }

    /// The answer to a try of the settings.
    struct Pong: Decodable, Sendable {
        let redirectURI: String
        let time: Int

        enum CodingKeys: String, CodingKey {
            case redirectURI = "redirect_uri"
            case time
        }
    }

    /// A sign-out message.
    struct Event: Decodable, Sendable {
        let id, user: String
        var session: String?
        let time: Int

        enum CodingKeys: String, CodingKey {
            case id, user, session
            case time = "issued_at"
        }
    }

    var text: String?
    var reply: Reply?
    var state: State?
    var event: Event?
    var pong: Pong?
    /// The message of the error.
    var refused: String?
    /// The IdP's, as the error has them.
    var error: String?
    var description: String?
    /// How to answer a message that is refused.
    var status: Int?
}
