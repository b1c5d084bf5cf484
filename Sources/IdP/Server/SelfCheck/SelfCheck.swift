import Foundation
import IdPFlow
package import SSOShared
package import SSOWeb

/// Calls the running IdP at `IDP_PUBLIC_URL`, and compares how the request has arrived with what was sent.
package struct SelfCheck: Sendable {
    /// More than this, and codes and tokens of a few minutes do not work as they should.
    static let tolerated = 5

    let url: PublicOrigin
    let keys: DerivedKeys

    package init(url: PublicOrigin, keys: DerivedKeys) { (self.url, self.keys) = (url, keys) }

    package func run(_ reader: SettingsReader) async {
        let name = FlowSettings.publicURL.name
        do {
            let clock = ServiceClock.system()
            let question = try SelfCheckProof(keys, at: clock.now(), SystemRandomness())
            var request = HTTPClient.Request(url: url.text + SelfCheckProof.path)
            request.headers = ["\(SelfCheckProof.field): \(question.text)", "Accept: application/json"]
            request.allowsHTTP = !url.isHTTPS
            request.reusesConnection = false
            let (before, response) = (clock.now().seconds, try await client().send(request))
            report(response, question, between: before, and: clock.now().seconds, reader)
        } catch ConnectionError.notConnected(let detail) {
            reader.record(
                "connect \(name)", "nothing answers at \(url) yet (\(detail)): check again once the program runs")
        } catch {
            reader.problem("\(name): \(url): \(error).")
        }
    }

    private func client() throws(ConnectionError) -> HTTPClient {
        var options = HTTPClient.Options()
        options.caFile = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        (options.limits.connect, options.limits.call) = (.seconds(5), .seconds(10))
        options.truncatesBodies = true
        return try HTTPClient(options)
    }

    private func report(
        _ response: HTTPClient.Response, _ question: SelfCheckProof, between before: Int, and after: Int,
        _ reader: SettingsReader
    ) {
        let name = FlowSettings.publicURL.name
        guard response.status == 200,
            let answer = try? JSONDecoder().decode(SelfCheckAnswer.self, from: Data(response.body)),
            question.isAnswered(by: answer.proof)
        else {
            if [502, 503, 504].contains(response.status) {
                return reader.record(
                    "connect \(name)",
                    "the proxy at \(url) answers with \(response.status): check again once the program behind it runs")
            }
            return reader.problem(
                "\(name): what answers at \(url) with status \(response.status) is not this program, or has another IDP_SECRET_KEY, or "
                    + "a clock that is more than a minute off.")
        }
        reader.record("connect \(name)", "this program (\(answer.version)) answers at \(url)")
        for finding in Self.findings(answer, of: url, between: before, and: after) {
            if finding.isProblem { reader.problem(finding.text) } else { reader.warn(finding.text) }
        }
    }

    struct Finding: Sendable, Equatable {
        let text: String
        var isProblem = false
    }

    /// What is wrong with the way of a request.
    static func findings(
        _ answer: SelfCheckAnswer, of url: PublicOrigin, between before: Int, and after: Int
    ) -> [Finding] {
        proxyFindings(answer, of: url) + addressFindings(answer, of: url)
            + [clockFinding(answer, between: before, and: after)].compactMap(\.self)
    }

    private static func proxyFindings(_ answer: SelfCheckAnswer, of url: PublicOrigin) -> [Finding] {
        var found: [Finding] = []
        let authority = url.text.split(separator: "/").last.map(String.init) ?? url.host
        if let host = answer.host, host.lowercased() != authority {
            found.append(
                Finding(
                    text:
                        "\(FlowSettings.publicURL.name): the Host \(authority) arrives as \(host). Let the proxy pass it on, such as "
                        + "proxy_set_header Host $http_host."))
        }
        if url.isHTTPS, answer.forwardedProto != "https" {
            let sent = answer.forwardedProto.map { "says \($0)" } ?? "is missing"
            found.append(
                Finding(
                    text:
                        "\(FlowSettings.publicURL.name): X-Forwarded-Proto \(sent), and the scheme is https. Let the proxy set it: the "
                        + "gate needs it."))
        }
        return found
    }

    private static func addressFindings(_ answer: SelfCheckAnswer, of url: PublicOrigin) -> [Finding] {
        let (name, peer) = (FlowSettings.trustedProxies.name, answer.peer ?? "an unknown address")
        if !answer.isProxy, answer.forwardedFor != nil {
            return [
                Finding(
                    text:
                        "\(name): the proxy at \(peer) sends X-Forwarded-For, and is not named, so all visitors seem to come from it. "
                        + "Add \(peer).", isProblem: true)
            ]
        }
        if !answer.isProxy, url.isHTTPS {
            return [
                Finding(
                    text:
                        "\(name): \(peer) ends TLS, is not named, and sends no X-Forwarded-For, so all visitors seem to come from it. "
                        + "Let it set the field, and add \(peer).", isProblem: true)
            ]
        }
        // A check on the proxy's own machine comes from the proxy's address.
        let names = answer.forwardedFor?.contains(peer) ?? false
        if answer.isProxy, answer.client == answer.peer, !names {
            return [
                Finding(
                    text:
                        "\(name): the proxy at \(peer) is named, and sends no X-Forwarded-For that can be read, so all visitors seem to "
                        + "come from it.", isProblem: true)
            ]
        }
        return []
    }

    private static func clockFinding(
        _ answer: SelfCheckAnswer, between before: Int, and after: Int
    ) -> Finding? {
        let off = answer.time < before ? before - answer.time : max(0, answer.time - after)
        guard off > tolerated else { return nil }
        return Finding(
            text: "the clock of the program at \(FlowSettings.publicURL.name) is \(off) seconds "
                + "\(answer.time < before ? "behind" : "ahead of") this machine's. Set both by NTP.", isProblem: true)
    }
}
