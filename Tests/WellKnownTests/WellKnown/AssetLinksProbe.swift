import WellKnown

/// A list of statements, and the findings of the linter.
struct AssetLinksProbe {
    static let fingerprint =
        "D8:E3:1A:0B:5C:77:92:4F:60:BD:13:AE:85:29:F4:C6:0D:9B:E1:37:52:8A:CF:14:A3:7E:66:B0:5D:F9:28:41"
    static let second =
        "41:28:F9:5D:B0:66:7E:A3:14:CF:8A:52:37:E1:9B:0D:C6:F4:29:85:AE:13:BD:60:4F:92:77:5C:0B:1A:E3:D8"
    static let links = "delegate_permission/common.handle_all_urls"
    static let credentials = "delegate_permission/common.get_login_creds"
    /// Findings that apply to every small file.
    static let advice: Set<String> = ["dal.missing-login-creds", "fp.play-signing", "dyn.fingerprint-only-15"]

    let body: String

    init(_ body: String) { self.body = body }

    /// A list of one statement about an app. The arguments replace its parts.
    static func app(
        relation: String = #"["\#(links)"]"#, namespace: String = #""android_app""#,
        package: String = #""com.house.app""#,
        fingerprints: String = #"["\#(fingerprint)"]"#, target more: String = "", statement: String = ""
    ) -> AssetLinksProbe {
        AssetLinksProbe("[\(statementText(relation, namespace, package, fingerprints, more, statement))]")
    }

    static func statementText(
        _ relation: String = #"["\#(links)"]"#, _ namespace: String = #""android_app""#,
        _ package: String = #""com.house.app""#, _ fingerprints: String = #"["\#(fingerprint)"]"#, _ more: String = "",
        _ statement: String = ""
    ) -> String {
        #"{"relation": \#(relation), "target": {"namespace": \#(namespace), "package_name": \#(package), "#
            + #""sha256_cert_fingerprints": \#(fingerprints)\#(more)}\#(statement)}"#
    }

    /// A list of one statement with dynamic rules.
    static func dynamic(_ rules: String) -> AssetLinksProbe {
        app(statement: #", "relation_extensions": {"\#(links)": {"dynamic_app_link_components": \#(rules)}}"#)
    }

    var findings: [Finding] {
        AssetLinksFile(reading: body.utf8).map { AssetLinksLint.findings(in: $0) } ?? []
    }

    /// The codes without those in ``advice``.
    var codes: [String] { findings.map(\.code).filter { !Self.advice.contains($0) } }

    func finding(_ code: String) -> Finding? { findings.first { $0.code == code } }
}
