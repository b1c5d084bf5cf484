import Foundation
import Testing

@testable import SSOClient
@testable import SSOShared
@testable import TestKit

/// The files with which relying parties in other languages are tested.
@Suite("Back channel vectors", .rules)
struct BackChannelVectorTests {
    static let requests = BackChannelVector.of(.request)
    static let responses = BackChannelVector.of(.response)

    @Test("there are good and bad vectors of each kind, and every file is one")
    func enough() throws {
        #expect(Self.requests.count >= 40 && Self.responses.count >= 20)
        #expect(BackChannelVector.of(.event).count >= 40 && BackChannelVector.of(.answer).count >= 25)
        #expect(Set(BackChannelVector.all.map { $0["expect"] }).count == 5)
        let files = try FileManager.default.contentsOfDirectory(atPath: BackChannelVector.folder.path())
        #expect(files.filter { $0.hasSuffix(".txt") }.count == BackChannelVector.all.count)
    }

    @Test("only a vector that the usual JSON parsers cannot refuse is not required")
    func levels() {
        #expect(
            BackChannelVector.all.filter { !$0.isRequired }.map(\.name) == [
                "event-user-twice", "response-user-id-twice",
            ])
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

    @Test("a question about a session is judged as its vector says", arguments: BackChannelVector.of(.question))
    func question(_ vector: BackChannelVector) throws {
        let secret = try SharedSecret.parse(try vector.required("secret"), setting: "SECRET")
        let given = try #require(RequestSignature(headerValue: try vector.required("signature")))
        let isSigned = given.matches(.request(body: vector.body, secret: secret, label: .session))
        #expect(isSigned == (vector["expect"] != VerifyError.invalidSignature.rawValue))
        guard isSigned else { return }
        let question = try? SessionQuestion(body: vector.body)
        #expect((question != nil) == vector.isGood)
        #expect(question?.session == vector["session-id"] && question?.user == vector["user-id"])
        #expect(question == nil || question?.body() == vector.body)
    }

    @Test("a sign-out message is judged as its vector says", arguments: BackChannelVector.of(.event))
    func event(_ vector: BackChannelVector) throws {
        let receiver = SignOutReceiver(
            clientID: try vector.required("client"),
            secret: try SharedSecret.parse(try vector.required("secret"), setting: "SECRET"))
        let signature = try vector.required("signature")
        let now = Date(timeIntervalSince1970: try #require(Double(try vector.required("now"))))
        let outcome = Result { () throws(SignOutError) -> SignOutMessage in
            try receiver.read(
                vector.body, signatures: signature.isEmpty ? [] : [signature], contentTypes: ["application/json"],
                now: now)
        }
        switch outcome {
        case .success(let message):
            #expect(vector.isGood)
            #expect(message.id == vector["id"] && message.user == vector["user-id"])
            #expect(message.session == vector["session-id"] && "\(message.issuedAt)" == vector["issued-at"])
            // The second of the message counts as over.
            #expect(vector["began-before"] == (message.session == nil ? "\(message.issuedAt + 1)" : nil))
        case .failure(let error):
            #expect(error.code.rawValue == vector["expect"])
            #expect(error.status == (error.code == .invalidSignature ? 401 : 400))
        }
    }

    @Test("the worked example of a sign-out message is what the identity provider writes")
    func writtenEvent() throws {
        for name in ["event-session", "event-all"] {
            let vector = try BackChannelVector.named(name)
            let message = SignOutMessage(
                id: try vector.required("id"), clientID: try vector.required("client"),
                user: try vector.required("user-id"), session: vector["session-id"],
                issuedAt: try #require(Int(try vector.required("issued-at"))))
            #expect(message.body() == vector.body)
        }
    }

    @Test("an answer about a session gets the verdict that its vector states", arguments: BackChannelVector.of(.answer))
    func answer(_ vector: BackChannelVector) throws {
        let question = try BackChannelVector.named("question-session")
        #expect(vector["session"] == question["session-id"] && vector["user"] == question["user-id"])
        let answer = BackChannelAnswer(
            request: try #require(RequestSignature(headerValue: try vector.required("request-signature"))),
            clientID: try vector.required("client"),
            secret: try SharedSecret.parse(try vector.required("secret"), setting: "SECRET"))
        let response = HTTPClient.Response(
            status: 200,
            headers: [
                ("content-type", "application/json"), ("x-sso-signature", try vector.required("signature")),
            ], body: vector.body)
        let reply = Result { () throws(BackChannelError) -> SessionAnswer in
            try answer.read(response, requireSignature: true, as: SessionAnswer.self)
                .about(vector["user"] ?? "")
        }
        guard vector.isGood else {
            #expect(throws: BackChannelError.self) { try reply.get() }
            return
        }
        switch try reply.get() {
        case .active(let reply):
            #expect(vector["active"] == "true" && reply.user.id == vector["user-id"])
            #expect(reply.user.email == vector["email"] && reply.user.name == vector["name"])
            #expect(reply.user.groups?.joined(separator: ",") == vector["groups"])
        case .inactive(let reason, _):
            #expect(vector["active"] == "false" && reason.rawValue == vector["reason"])
        }
        #expect(try reply.get().body() == vector.body)
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
