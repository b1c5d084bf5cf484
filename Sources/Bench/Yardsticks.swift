/// Plain routes of the same server and of nginx, by the same load generator.
struct Yardsticks {
    let options: BenchOptions
    let idp: BenchIdP
    let folder: String

    func run(_ report: Report) throws {
        report.title("static routes, the same load")
        try measure("GET /healthz", "/healthz", idp.port, report)
        if let sheet = try styleSheet() { try measure("GET the style sheet", sheet, idp.port, report) }
        try measure("GET the association file", AssociationFile.path, idp.port, report)

        let connection = try WireConnection(port: idp.port, index: 0)
        let file = try Array(connection.exchange(request(AssociationFile.path)).body)
        guard let nginx = try NginxYardstick(folder: folder, file: file) else {
            report.line("nginx", text: "not installed")
            return
        }
        try nginx.server.start(until: AssociationFile.path)
        try measure("GET the association file, by nginx", AssociationFile.path, nginx.server.port, report)
        try nginx.server.stop()
    }

    private func measure(_ what: String, _ path: String, _ port: UInt16, _ report: Report) throws {
        let connections = try (0..<options.concurrency).map { try WireConnection(port: port, index: $0) }
        var script = FixedScript(path: path, authority: "localhost:\(port)", seconds: options.yardstickSeconds)
        let cost = try LoadLoop(connections: connections).run(&script)
        let share = "generator \(Report.percent(cost.ownShare)) of a core"
        let errors = script.errors == 0 ? "" : ", \(script.errors) errors"
        report.line(what, perSecond: Double(script.answers) / cost.seconds, note: share + errors)
    }

    /// The style sheet's address, taken from a page.
    private func styleSheet() throws -> String? {
        let connection = try WireConnection(port: idp.port, index: 0)
        let answer = try connection.exchange(request("/sign-in"))
        guard let found = ByteSearch.find("rel=\"stylesheet\"", in: answer.body) else { return nil }
        return ByteSearch.text(after: "href=\"", until: "\"", in: answer.body, from: max(0, found - 200))
    }

    private func request(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: \(idp.authority)\r\n\r\n".utf8)
    }
}
