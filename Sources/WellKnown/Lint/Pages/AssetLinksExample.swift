/// Example files for the rules of assetlinks.json, by code. Each is an error that the text alone shows.
enum AssetLinksExample {
    /// A SHA-256 digest that belongs to no real certificate.
    static let key = "3A:5F:81:C2:0D:94:E7:16:B8:4A:6C:F3:29:D5:70:1E:8B:42:CD:07:9E:63:F1:5A:34:A8:DC:21:7F:B6:0C:95"
    static let otherKey =
        "C4:19:7E:A2:5B:D8:03:6F:91:E4:2C:B7:58:0A:F6:3D:84:1F:CB:65:9A:27:E0:73:4D:BE:12:88:F5:36:A9:60"

    static func statement(
        relation: String =
            #"["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"]"#,
        package: String = "com.acme.shop", keys: String = "\"\(key)\", \"\(otherKey)\"", beside: String = ""
    ) -> String {
        """
        {
          "relation": \(relation),
          "target": {"namespace": "android_app", "package_name": "\(package)", "sha256_cert_fingerprints": [\(keys)]}\(beside)
        }
        """
    }

    static func dynamic(_ components: String) -> String {
        statement(
            beside: ", \"relation_extensions\": {\"delegate_permission/common.handle_all_urls\": "
                + "{\"dynamic_app_link_components\": [\(components)]}}")
    }

    static func web(_ site: String, relation: String = "delegate_permission/common.get_login_creds") -> String {
        "{\"relation\": [\"\(relation)\"], \"target\": {\"namespace\": \"web\", \"site\": \"\(site)\"}}"
    }

    private static func list(_ statements: String...) -> String { "[" + statements.joined(separator: ", ") + "]\n" }
    private static let sound = list(statement())
    private static func keys(_ keys: String) -> String { list(statement(keys: keys)) }
    private static func included(_ addresses: [String]) -> String {
        "[" + addresses.map { "{\"include\": \"\($0)\"}" }.joined(separator: ", ") + "]\n"
    }
    private static let names = (1...11).map { "https://www.acme.com/links\($0).json" }
    private static let relation = #"["delegate_permission/common.handle_all_urls"]"#
    private static let shop = "https://shop.acme.com"
    private static let link = included(["https://www.acme.com/links.json"])
    private static func rules(_ components: String) -> String { list(dynamic(components)) }

    static let wrong: [String: String] = [
        "dal.empty-list": "[]\n", "dal.statement-type": "[\"com.acme.shop\", \(statement())]\n",
        "dal.no-relation": sound.replacing(
            "\"relation\": [\"delegate_permission/common.handle_all_urls\", \"delegate_permission/common.get_login_creds\"],\n  ",
            with: ""), "dal.relation-type": list(statement(relation: "\"delegate_permission/common.handle_all_urls\"")),
        "dal.relation-syntax": list(statement(relation: #"["common.handle_all_urls"]"#)),
        "dal.relation-unknown": list(web(shop, relation: "looksalike/allowlist")),
        "dal.no-target": "[{\"relation\": \(relation)}]\n",
        "dal.target-type": "[{\"relation\": \(relation), \"target\": \"com.acme.shop\"}]\n",
        "dal.namespace": sound.replacing("\"android_app\"", with: "\"shop_app\""),
        "dal.target-keys": sound.replacing(
            "\"namespace\": \"android_app\",",
            with: "\"namespace\": \"android_app\", \"site\": \"https://www.acme.com\","),
        "dal.package-missing": sound.replacing("\"package_name\": \"com.acme.shop\", ", with: ""),
        "dal.package-syntax": list(statement(package: "com.2acme.shop")), "dal.site-syntax": list(web("\(shop)/")),
        "dal.site-http": list(web("http://shop.acme.com")),
        "dal.web-handle-urls": list(web(shop, relation: "delegate_permission/common.handle_all_urls")),
        "dal.duplicate": list(statement(), statement()),
        "dal.split-package": list(statement(keys: "\"\(key)\""), statement(keys: "\"\(otherKey)\"")),
        "dal.unknown-key": sound.replacing("\"relation\"", with: "\"remark\": \"shop\", \"relation\""),
        "dal.missing-login-creds": list(statement(relation: relation)),
        "dal.include-with-target": list(statement(beside: ", \"include\": \"https://www.acme.com/links.json\"")),
        "dal.include-syntax": included(["links.json"]),
        "dal.include-insecure": included(["http://www.acme.com/links.json"]), "dal.include-budget": included(names),
        "dal.include-any": link,
        "fp.missing": sound.replacing(", \"sha256_cert_fingerprints\": [\"\(key)\", \"\(otherKey)\"]", with: ""),
        "fp.empty": keys(""), "fp.type": sound.replacing("[\"\(key)\", \"\(otherKey)\"]", with: "\"\(key)\""),
        "fp.sha1": keys("\"\(key.prefix(59))\""), "fp.length": keys("\"\(key.prefix(92))\""),
        "fp.lowercase": keys("\"\(key.lowercased())\""), "fp.no-colons": keys("\"\(key.replacing(":", with: ""))\""),
        "fp.first-octet": keys("\"\(key.dropFirst())\""), "fp.prefix-text": keys("\"SHA256: \(key)\""),
        "fp.placeholder": keys("\"YOUR_SHA256_FINGERPRINT\""),
        "fp.base64": keys("\"Ol+Bwg2U5xa4Smzz0nDVHotCzQeeY/FaNKjcIX+2DJU=\""),
        "fp.repeating": keys("\"\(Array(repeating: "AB", count: 32).joined(separator: ":"))\""),
        "fp.known-public-debug-key": keys("\"\(KnownFingerprints.publicDebugKey)\""),
        "fp.play-signing": keys("\"\(key)\""), "fp.duplicate": keys("\"\(key)\", \"\(key)\""),
        "dyn.malformed": rules(#"{"/": ""}, {"/": "/buy*"}"#),
        "dyn.exclude-only": rules(#"{"/": "/admin", "exclude": true}"#), "dyn.no-catch-all": rules(#"{"/": "/buy"}"#),
        "dyn.catch-all-first": rules(#"{"/": "*"}, {"/": "/admin", "exclude": true}"#),
        "dyn.shadowed": rules(#"{"/": "/buy*"}, {"/": "/buy/now"}, {"/": "*"}"#),
        "dyn.wrong-place": list(statement(beside: ", \"dynamic_app_link_components\": [{\"/\": \"*\"}]")),
        "dyn.wrong-relation": rules(#"{"/": "*"}"#).replacing(
            "{\"delegate_permission/common.handle_all_urls\": {",
            with: "{\"delegate_permission/common.get_login_creds\": {"),
        "dyn.unknown-key": rules(#"{"/": "*", "caseSensitive": false}"#),
        "dyn.query-string": rules(#"{"/": "/buy", "?": "id=*"}, {"/": "*"}"#),
        "dyn.star-backtracking": rules(#"{"/": "*/terms", "exclude": true}, {"/": "*"}"#),
        "dyn.trailing-slash": rules(#"{"/": "/buy/*"}"#),
        "dyn.encoded-pattern": rules(#"{"/": "/caf%C3%A9"}, {"/": "*"}"#),
        "dyn.bogus-schema": list(statement(beside: ", \"exclude\": {\"paths\": [\"/admin/*\"]}")),
        "dyn.fingerprint-only-15": rules(#"{"/": "*"}"#),
    ]

    static func right(_ code: String) -> String { rights[code] ?? sound }

    private static let rights: [String: String] = [
        "dal.relation-unknown": list(web(shop, relation: "lookalikes/allowlist")),
        "dal.site-syntax": list(web(shop)), "dal.site-http": list(web(shop)), "dal.web-handle-urls": list(web(shop)),
        "dal.include-with-target": link, "dal.include-syntax": link, "dal.include-insecure": link,
        "dal.include-budget": included(Array(names.dropLast())),
        "dyn.malformed": rules(#"{"/": "/buy*"}"#), "dyn.trailing-slash": rules(#"{"/": "/buy*"}"#),
        "dyn.exclude-only": rules(#"{"/": "/admin", "exclude": true}, {"/": "/buy*"}"#),
        "dyn.no-catch-all": rules(#"{"/": "*"}"#), "dyn.unknown-key": rules(#"{"/": "*"}"#),
        "dyn.wrong-place": rules(#"{"/": "*"}"#), "dyn.wrong-relation": rules(#"{"/": "*"}"#),
        "dyn.catch-all-first": rules(#"{"/": "/admin", "exclude": true}, {"/": "*"}"#),
        "dyn.shadowed": rules(#"{"/": "/buy*"}, {"/": "*"}"#),
        "dyn.query-string": rules(#"{"/": "/buy", "?": {"id": "?*"}}, {"/": "*"}"#),
        "dyn.star-backtracking": rules(#"{"/": "/terms", "exclude": true}, {"/": "*"}"#),
        "dyn.encoded-pattern": rules(#"{"/": "/café"}, {"/": "*"}"#),
        "dyn.bogus-schema": rules(#"{"/": "/admin/*", "exclude": true}, {"/": "*"}"#),
    ]
}
