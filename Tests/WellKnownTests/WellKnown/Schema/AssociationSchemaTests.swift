import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// The schemas agree with the linter over all fixtures.
@Suite("JSON schemas of both files", .rules)
struct AssociationSchemaTests {
    private static func validator(_ kind: AssociationKind) throws -> SchemaValidator {
        SchemaValidator(root: try JSONReader.readStrictly(AssociationSchema.text(of: kind), maximumDepth: 40))
    }

    /// The findings that a schema can see: types, missing and unknown keys, and the form of identifiers.
    static let structural: Set<String> = [
        "json.root", "aasa.no-service", "aasa.misplaced-service", "aasa.details-outside-applinks",
        "aasa.service-apps-missing", "aasa.details-missing", "aasa.details-object", "aasa.entry-without-app",
        "aasa.appids-type", "aasa.no-rules", "aasa.empty-rules", "aasa.rules-type", "id.no-prefix", "id.prefix-length",
        "id.prefix-lowercase", "id.bundle-chars", "id.wildcard", "id.whitespace", "pat.unknown-component-key",
        "pat.type", "pat.query-type", "pat.query-array", "pat.exclude-type", "pat.subst-name", "pat.subst-empty",
        "dal.empty-list", "dal.statement-type", "dal.no-relation", "dal.relation-type", "dal.relation-syntax",
        "dal.no-target", "dal.target-type", "dal.namespace", "dal.target-keys", "dal.package-missing",
        "dal.package-syntax", "dal.include-with-target", "fp.missing", "fp.empty", "fp.type", "fp.sha1", "fp.length",
        "fp.lowercase", "fp.no-colons", "fp.first-octet", "fp.prefix-text", "fp.placeholder", "fp.base64",
        "dyn.malformed", "dyn.unknown-key", "dyn.query-string",
    ]

    @Test(
        "A schema accepts files without errors, and refuses those with errors of structure", arguments: LintFixture.all)
    func agrees(fixture: LintFixture) throws {
        let report = fixture.lint()
        guard let root = report.document.root else { return }
        let errors = try Self.validator(fixture.kind).errors(in: root)
        let found = Set(report.findings.filter { $0.severity == .error }.map(\.code))
        if found.isEmpty { #expect(errors == []) }
        if !found.isDisjoint(with: Self.structural) { #expect(!errors.isEmpty, "\(found.sorted())") }
    }

    @Test("Each code of structure has an example that the schema refuses")
    func complete() {
        let seen = Set(LintFixture.all.flatMap { $0.lint().findings.filter { $0.severity == .error }.map(\.code) })
        #expect(Self.structural.subtracting(seen).sorted() == [])
    }

    static let single: [(AssociationKind, String)] = [
        (.aasa, "{\"webcredentials\": {\"apps\": \"K7Q2M9X4TB.a.b\"}}"),
        (.aasa, "{\"applinks\": {\"details\": [{\"appID\": [\"K7Q2M9X4TB.a.b\"], \"paths\": [\"/a\"]}]}}"),
        (.aasa, "{\"applinks\": {\"details\": [{\"appID\": \"K7Q2M9X4TB.a.b\", \"paths\": \"*\"}]}}"),
        (.aasa, "{\"applinks\": {\"details\": [{\"appIDs\": [\"K7Q2M9X4TB.a.b\"], \"components\": [\"*\"]}]}}"),
        (
            .aasa,
            "{\"applinks\": {\"details\": [{\"appIDs\": [], \"appID\": \"K7Q2M9X4TB.a.b\", \"paths\": [\"/a\"]}]}}"
        ),
        (.assetlinks, "{}"), (.assetlinks, "[[]]"),
        (
            .assetlinks,
            "[{\"relation\": [\"delegate_permission/common.handle_all_urls\"], \"target\": {\"namespace\": \"android_app\", "
                + "\"package_name\": \"com.acme.shop\", \"sha256_cert_fingerprints\": [\"no print\"]}}]"
        ),
    ]

    @Test("Errors of structure that no rule has as its example are refused, too", arguments: single)
    func refused(kind: AssociationKind, text: String) throws {
        let report = AssociationLint.lint(body: Array(text.utf8), as: kind)
        #expect(report.worst == .error)
        #expect(try !Self.validator(kind).errors(in: #require(report.document.root)).isEmpty)
    }

    @Test("Descriptions name findings that have a page", arguments: AssociationKind.allCases)
    func described(kind: AssociationKind) {
        let text = String(decoding: AssociationSchema.text(of: kind), as: UTF8.self)
        let codes = text.matches(of: #/"description": "(?:[^"]*? )?([a-z]+\.[a-z-]+): /#).map { String($0.output.1) }
        #expect(codes.count > 8)
        for code in codes { #expect(LintRule.named(code) != nil, "\(code)") }
    }
}
