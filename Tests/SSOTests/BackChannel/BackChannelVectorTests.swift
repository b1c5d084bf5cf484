import Testing

@testable import SSOShared
@testable import TestSupport

/// The files with which relying parties in other languages are tested.
@Suite("Back channel vectors")
struct BackChannelVectorTests {
    static let requests = BackChannelVector.all.filter { $0["request-signature"] == nil }
    static let responses = BackChannelVector.all.filter { $0["request-signature"] != nil }

    @Test("there are good and bad vectors")
    func enough() {
        #expect(Self.requests.count >= 40 && Self.responses.count >= 15)
        #expect(Set(BackChannelVector.all.map { $0["expect"] }).count == 4)
    }

    @Test("a request is judged as its vector says", arguments: requests)
    func request(_ vector: BackChannelVector) throws {
        let secret = try SharedSecret.parse(try vector.required("secret"), setting: "SECRET")
        #expect(judge(vector, secret) == vector["expect"])
        guard vector["expect"] == "ok" else { return }
        let request = try VerifyRequest(body: vector.body)
        #expect(request.token == vector["token"])
        #expect(request.redirectURI == vector["redirect-uri"])
        #expect(request.codeVerifier == vector["code-verifier"])
    }

    private func judge(_ vector: BackChannelVector, _ secret: SharedSecret) -> String {
        guard let given = RequestSignature(headerValue: vector["signature"] ?? ""),
            given.matches(.request(body: vector.body, secret: secret))
        else { return VerifyError.invalidSignature.rawValue }
        return (try? VerifyRequest(body: vector.body)) == nil ? VerifyError.invalidRequest.rawValue : "ok"
    }

    @Test("an answer gets the verdict that its vector states", arguments: responses)
    func response(_ vector: BackChannelVector) throws {
        let answer = BackChannelAnswer(
            request: try #require(RequestSignature(headerValue: try vector.required("request-signature"))),
            clientID: try vector.required("client"),
            secret: try SharedSecret.parse(try vector.required("secret"), setting: "SECRET"))
        let response = HTTPClient.Response(
            status: 200,
            headers: [
                ("content-type", "application/json"), ("x-sso-signature", try vector.required("signature")),
            ], body: vector.body)
        guard vector["expect"] == "ok" else {
            #expect(throws: BackChannelError.self) { try answer.read(response, requireSignature: true) }
            return
        }
        let reply = try answer.read(response, requireSignature: true)
        #expect(reply.user.id == vector["user-id"])
        #expect(reply.user.email == vector["email"])
        #expect(reply.user.name == vector["name"])
        #expect(reply.session.id == vector["session-id"])
        #expect(reply.session.authenticatedAt == Int(try vector.required("authenticated-at")))
        #expect(reply.session.methods.joined(separator: ",") == vector["methods"])
    }
}
