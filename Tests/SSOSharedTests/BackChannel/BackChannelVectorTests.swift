import Foundation
import Testing

@testable import SSOShared
@testable import TestKit

/// The files with which relying parties in other languages are tested.
@Suite("Back channel vectors")
struct BackChannelVectorTests {
    static let requests = BackChannelVector.of(.request)
    static let responses = BackChannelVector.of(.response)

    @Test("there are good and bad vectors of each kind, and every file is one")
    func enough() throws {
        #expect(Self.requests.count >= 40 && Self.responses.count >= 20)
        #expect(Set(BackChannelVector.all.map { $0["expect"] }).count == 5)
        let files = try FileManager.default.contentsOfDirectory(atPath: BackChannelVector.folder.path())
        #expect(files.filter { $0.hasSuffix(".txt") }.count == BackChannelVector.all.count)
    }

    @Test("only a vector that the usual JSON parsers cannot refuse is not required")
    func levels() {
        #expect(BackChannelVector.all.filter { !$0.isRequired }.map(\.name) == ["response-user-id-twice"])
        #expect(BackChannelVector.all.allSatisfy { ["must", "should", nil].contains($0["level"]) })
    }

    @Test("index.json has every file: after a change run Tests/Vectors/back-channel/make-index")
    func index() throws {
        let data = try Data(contentsOf: BackChannelVector.folder.appending(path: "index.json"))
        let index = try JSONDecoder().decode([[String: String]].self, from: data)
        let expected = BackChannelVector.all.map { vector in
            vector.fields.merging([
                "file": "\(vector.name).txt", "kind": vector.kind.rawValue, "level": vector["level"] ?? "must",
                "body": Data(vector.body).base64EncodedString(),
            ]) { $1 }
        }
        #expect(index == expected)
    }

    @Test("a fingerprint is the one of its secret", arguments: BackChannelVector.of(.fingerprint))
    func fingerprint(_ vector: BackChannelVector) throws {
        let secret = try SharedSecret.parse(try vector.required("secret"), setting: "SECRET")
        #expect((secret.fingerprint == vector["fingerprint"]) == vector.isGood)
    }

    @Test("a code challenge is the one of its verifier", arguments: BackChannelVector.of(.challenge))
    func challenge(_ vector: BackChannelVector) throws {
        let verifier = try vector.required("code-verifier")
        #expect(CodeChallenge.isWellFormedVerifier(verifier))
        #expect((CodeChallenge.s256(verifier) == vector["code-challenge"]) == vector.isGood)
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
        #expect(reply.session.authenticatedAt == vector["authenticated-at"].flatMap { Int($0) })
        #expect(reply.session.methods.joined(separator: ",") == vector["methods"])
    }
}
