import Foundation

/// A browser that was at a provider and brings the answer back.
struct ProviderVisit {
    /// Of the callback, with code and state.
    let path: String
    /// The `Cookie` value.
    let cookie: String
}

/// One measurement of callbacks.
struct CallbackResult {
    /// Processor time of the IdP per callback, in seconds.
    let processorTime: Double
    /// Per callback, in seconds: from just before the request to the complete answer, without the provider's time.
    let ownTime: Double
}

extension IdPUnderTest {
    /// So many new browsers go from the sign-in page to a provider and agree there.
    func visit(_ provider: BenchProvider, _ count: Int) throws -> [ProviderVisit] {
        try (0..<count).map { number in
            do {
                let browser = try BenchBrowser(port: port, authority: authority, index: number)
                try browser.visit("/sign-in")
                try browser.visit(browser.submit(formWith: "action=\"/sign-in/with/\(provider.id)\""))
                return ProviderVisit(
                    path: try provider.agree(to: browser.link(id: "continue")), cookie: browser.cookie)
            } catch { throw BenchError("\(error)\n\(logEnd)") }
        }
    }

    /// Brings the answers to the callback, one after the other.
    ///
    /// - Parameter calls: how many calls at the provider each must cost; nil for any number.
    /// - Throws: ``BenchError`` when one does not end with a new session at the home page.
    func callBack(_ visits: [ProviderVisit], at provider: BenchProvider, calls: Int?) throws -> CallbackResult {
        let connection = try WireConnection(port: port, index: 0)
        let (work, before, begin) = (provider.work, processorTime, LoadLoop.now())
        for visit in visits {
            let answer = try connection.exchange(
                Array("GET \(visit.path) HTTP/1.1\r\nHost: \(authority)\r\nCookie: \(visit.cookie)\r\n\r\n".utf8))
            let cookie = ByteSearch.text(after: "set-cookie: ", until: ";\r", in: answer.head)
            guard answer.status == 303, ByteSearch.find("\nlocation: /\r", in: answer.head) != nil, let cookie,
                cookie != visit.cookie
            else {
                throw BenchError("the callback answered \(answer.status) without a new session\n\(logEnd)")
            }
            if answer.closes { try connection.reconnect() }
        }
        let (wall, count) = (Double(LoadLoop.now() - begin) / 1e9, Double(visits.count))
        let done = provider.work.calls - work.calls
        guard calls.map({ $0 * visits.count == done }) ?? true else {
            throw BenchError("\(visits.count) callbacks made \(done) calls at the provider\n\(logEnd)")
        }
        return CallbackResult(
            processorTime: (processorTime - before) / count,
            ownTime: (wall - (provider.work.seconds - work.seconds)) / count)
    }
}
