import Synchronization

@testable import TestKit

/// GitHub: OAuth 2.0 without ID tokens, and two calls of its REST API.
extension StandInProvider {
    func gitHubTokens(_ grant: StandInGrant) throws -> Answer {
        let access = "gho_\(Self.random(16))"
        state.withLock { $0.access[access] = grant.user }
        return try json(
            .token,
            [
                "access_token": .string(access), "token_type": "bearer",
                "scope": .string(grant.request.scopes.joined(separator: ",")),
            ])
    }

    func gitHubUser(_ request: Request) throws -> Answer {
        guard let user = try gitHubCaller(request) else { return try badCredentials() }
        var members: [String: JSONValue] = [
            "login": .string("login-\(user.subject)"), "name": user.name.map(JSONValue.string) ?? .null,
            // The address that the user shows to everybody: not necessarily verified.
            "email": .null, "type": "User",
        ]
        members["id"] = Double(user.subject).map(JSONValue.number) ?? .string(user.subject)
        return try json(.user, members)
    }

    func gitHubEmails(_ request: Request) throws -> Answer {
        guard let user = try gitHubCaller(request) else { return try badCredentials() }
        var emails: [JSONValue] = [
            ["email": "old@example.com", "primary": false, "verified": true, "visibility": .null]
        ]
        if let email = user.email {
            emails.append(
                [
                    "email": .string(email), "primary": true, "verified": .bool(user.emailVerified),
                    "visibility": "private",
                ])
        }
        return .json(try StandInJSON.text(.array(emails)))
    }

    private func gitHubCaller(_ request: Request) throws -> User? {
        guard request.method == "GET" else { throw ProbeFailure("not a GET") }
        // GitHub answers 403 without it.
        guard request.header("user-agent")?.isEmpty == false else { throw ProbeFailure("no User-Agent") }
        guard let header = request.header("authorization"), header.hasPrefix("Bearer ") else { return nil }
        return state.withLock { $0.access[String(header.dropFirst(7))] }
    }

    private func badCredentials() throws -> Answer {
        state.withLock { $0.problems.append("user: bad credentials") }
        return .json("{\"message\":\"Bad credentials\"}", status: "401 Unauthorized")
    }
}
