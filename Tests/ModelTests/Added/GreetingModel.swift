import HTTPTypes
import Testing

@testable import IdPTestKit
@testable import TestKit

/// The model of ``GreetingFeature``: greetings are counted in the session, and only a sign-in by passkey changes the word.
@Suite("The model of an added page", .program)
struct GreetingModel {
    private static let added = AddedSteps(features: GreetingFeature.added) { model, step in
        let session = model.session(of: step.browser)
        if step.name == "word" {
            guard let user = model.signIn(session) else { return "signed out" }
            model.sessions[session].seenAt = model.now
            return user.isStrong && model.now - user.at <= 10 * Span.minute ? "changed" : "asks again"
        }
        model.sessions[session].seenAt = model.now
        model.sessions[session].added["greetings", default: 0] += 1
        return "greeted \(model.sessions[session].added["greetings"] ?? 0) times"
    } world: { world, step in
        let page = try await world.send(step.browser, .get, GreetingFeature.path)
        var fields = [("form_token", world.token(in: page) ?? "")]
        guard step.name == "word" else {
            _ = try await world.send(step.browser, .post, GreetingFeature.path, fields)
            let text = try await world.send(step.browser, .get, GreetingFeature.path).text
            return "greeted \(World.between("Greeted <bdi>", "</bdi> times", in: text) ?? "no") times"
        }
        fields.append(("word", "Welcome"))
        let target = try await world.send(step.browser, .post, GreetingFeature.Word.path, fields).header("location")
        if target?.hasPrefix("/sign-in?flow=") == true { return "asks again" }
        let isSignedIn = try await world.look(step.browser) != "signed out"
        return isSignedIn ? "changed" : "signed out"
    }

    @Test("random histories with greetings agree, and none is greeted for another user")
    func histories() async throws { try await History.agree(of: 20, adding: Self.added, named: ["greet", "word"]) }
}
