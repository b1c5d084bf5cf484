import Foundation
import SSOShared
import Testing

@testable import SSOClient
@testable import SSOShared
@testable import TestKit

/// The languages of the samples in examples/partners.
enum SampleLanguage: String, CaseIterable, Sendable {
    case python, node, ruby, php, go, shell, swift

    /// The ending of the sample's file, and of the file in `Tests/Samples` that calls it.
    private var ending: String {
        switch self {
        case .python: "py"
        case .node: "mjs"
        case .ruby: "rb"
        case .php: "php"
        case .go: "go"
        case .shell: "sh"
        case .swift: "swift"
        }
    }

    /// The name of the sample's file.
    var file: String { self == .swift ? "SSO.swift" : "sso.\(ending)" }

    /// The program that runs the sample, and what else it needs.
    private var programs: [String] {
        switch self {
        case .python: ["python3"]
        case .node, .ruby, .php, .go: [rawValue]
        case .shell: ["sh", "curl", "jq", "openssl"]
        case .swift: []
        }
    }

    /// Runs the calls in order, on the sample as it stands there.
    ///
    /// - Throws: a cancellation of the test when the language is not installed.
    func run(_ calls: [SampleCall]) async throws -> [SampleResult] {
        if self == .swift { return try await Self.runSwift(calls) }
        let paths = programs.map(Self.path)
        guard let program = paths.first ?? nil, paths.allSatisfy({ $0 != nil }) else {
            try Test.cancel("not installed: \(programs.joined(separator: ", ")) (script/setup --test-all)")
        }
        if self == .php, try await Self.start([program, "-r", "exit((int) !extension_loaded('curl'));"]).code != 0 {
            try Test.cancel("PHP has no extension curl (script/setup --test-all)")
        }
        let folder = try TemporaryFolder()
        let sample = try ProtocolPage.text(of: "examples/partners/\(file)")
        let caller = try ProtocolPage.text(of: "Tests/Samples/calls.\(ending)")
        try folder.write(String(decoding: JSONEncoder().encode(calls), as: UTF8.self), to: "calls.json")
        var words = [program, "calls.\(ending)", "calls.json"]
        if self == .go {
            _ = try folder.folder("sso")
            try folder.write(sample, to: "sso/sso.go")
            try folder.write(caller, to: "main.go")
            try folder.write("module trial\n", to: "go.mod")
            words = [program, "run", ".", "calls.json"]
        } else {
            try folder.write(sample, to: "sso.\(ending)")
            try folder.write(caller, to: "calls.\(ending)")
        }
        let run = try await Self.start(words, in: folder)
        guard run.code == 0 else { throw ProbeFailure("\(self): exit \(run.code)\n\(run.errors)\(run.output)") }
        let results = try JSONDecoder().decode([SampleResult].self, from: Data(run.output.utf8))
        guard results.count == calls.count else { throw ProbeFailure("\(self): \(run.output)\n\(run.errors)") }
        return results
    }

    /// The sample in Swift is compiled into these tests.
    private static func runSwift(_ calls: [SampleCall]) async throws -> [SampleResult] {
        var results: [SampleResult] = []
        for call in calls {
            let sso = try SSO(idp: call.idp, client: call.client, secretText: call.secret)
            do {
                results.append(try await run(call, sso))
            } catch let error as SignOutError {
                results.append(SampleResult(refused: error.cause, status: error.status))
            } catch let error as BackChannelError {
                guard case .rejected(let code, let description) = error else {
                    results.append(SampleResult(refused: "\(error)"))
                    continue
                }
                results.append(SampleResult(refused: "\(error)", error: code.rawValue, description: description))
            }
        }
        return results
    }

    private static func run(_ call: SampleCall, _ sso: SSO) async throws -> SampleResult {
        let (token, redirectURI) = (call.token ?? "", call.redirectURI ?? "")
        let body = [UInt8](call.body ?? Data())
        switch call.call {
        case .body:
            let body = sso.body(token: token, redirectURI: redirectURI, codeVerifier: call.codeVerifier)
            return SampleResult(text: String(decoding: body, as: UTF8.self))
        case .sign: return SampleResult(text: sso.sign(body))
        case .check: return try SampleResult(check(call, sso, as: VerifyReply.self))
        case .checkSession:
            let reply = try check(call, sso, as: SessionAnswer.self)
            return try SampleResult(reply.about(call.user ?? ""))
        case .session: return try SampleResult(await sso.session(id: call.session ?? "", user: call.user ?? ""))
        case .event:
            let headers = (call.headers ?? []).map { (name: $0[0], value: $0[1]) }
            let message = try sso.event(
                body, headers: headers, now: Date(timeIntervalSince1970: Double(call.now ?? 0)))
            return SampleResult(
                event: SampleResult.Event(
                    id: message.id, user: message.user, session: message.session, time: message.issuedAt))
        case .ping:
            let answer = try await sso.ping(redirectURI: redirectURI)
            let state = answer.isRegistered ? "registered" : "not_registered"
            return SampleResult(pong: SampleResult.Pong(redirectURI: state, time: answer.time))
        case .verify:
            return try SampleResult(
                await sso.verify(token: token, redirectURI: redirectURI, codeVerifier: call.codeVerifier))
        }
    }

    private static func check<Reply: BackChannelReply>(
        _ call: SampleCall, _ sso: SSO, as type: Reply.Type
    ) throws -> Reply {
        guard let request = RequestSignature(headerValue: call.requestSignature ?? "") else {
            throw ProbeFailure("request signature")
        }
        let headers = (call.signatures ?? []).map { ("x-sso-signature", $0) } + [("content-type", "application/json")]
        return try BackChannelAnswer(request: request, clientID: call.client, secret: sso.secret)
            .read(
                HTTPClient.Response(status: 200, headers: headers, body: [UInt8](call.body ?? Data())),
                requireSignature: true, as: type)
    }

    private static func path(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = ["/usr/bin", "/bin"] + path.split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
    }

    private static func start(
        _ words: [String], in folder: TemporaryFolder? = nil
    ) async throws -> (code: Int32, output: String, errors: String) {
        let folder = try folder ?? TemporaryFolder()
        // A proxy that nothing listens at: a sample that believes the environment fails.
        let environment = Programs.inherited.merging([
            "HOME": folder.path, "http_proxy": "http://127.0.0.1:1", "GOCACHE": goCache, "LC_ALL": "C.UTF-8",
        ]) { $1 }
        let child = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "stdout"), standardError: folder.path(of: "stderr"))
        // The first build in Go may compile its library.
        guard case .code(let code) = try await child.waitForExit() else {
            return (-1, "", "killed")
        }
        return (code, folder.text(of: "stdout"), folder.text(of: "stderr"))
    }

    /// Kept between runs.
    private static let goCache = TestVectors.repository.appending(path: ".build/go-cache").path()
}

extension SampleResult {
    fileprivate init(_ reply: VerifyReply) {
        let session = Reply.Session(
            id: reply.session.id, time: reply.session.authenticatedAt, methods: reply.session.methods)
        self.reply = Reply(
            user: Reply.User(reply.user), session: session)
    }

    fileprivate init(_ reply: SessionAnswer) {
        state =
            switch reply {
            case .active(let reply): State(active: true, user: Reply.User(reply.user))
            case .inactive(let reason, _): State(active: false, reason: reason.rawValue)
            }
    }
}

extension SampleResult.Reply.User {
    fileprivate init(_ user: VerifiedUser) {
        self.init(id: user.id, email: user.email, name: user.name, groups: user.groups)
    }
}
