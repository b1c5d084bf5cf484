import Foundation

@testable import Counterparts
@testable import TestKit

/// One call of a function of a sample.
struct SampleCall: Encodable, Sendable {
    enum Function: String, Encodable { case body, sign, check, verify }

    let call: Function
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

    enum CodingKeys: String, CodingKey {
        case call, idp, client, secret, token
        case redirectURI = "redirect_uri"
        case codeVerifier = "code_verifier"
        case body, signatures
        case requestSignature = "request_signature"
    }

    /// Reads the response of a vector.
    static func check(_ vector: BackChannelVector) throws -> SampleCall {
        let signature = try vector.required("signature")
        return SampleCall(
            call: .check, client: try vector.required("client"), secret: try vector.required("secret"),
            body: Data(vector.body), signatures: signature.isEmpty ? [] : [signature],
            requestSignature: try vector.required("request-signature"))
    }
}

/// What a sample made of a call: a text, a response, or a refusal.
struct SampleResult: Decodable, Sendable {
    struct Reply: Decodable, Sendable {
        struct User: Decodable, Sendable { let id, email, name: String }
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

    var text: String?
    var reply: Reply?
    /// The message of the error.
    var refused: String?
    /// The IdP's, as the error has them.
    var error: String?
    var description: String?
}
