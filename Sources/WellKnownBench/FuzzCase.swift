import SSOShared
import WellKnown

/// One case, whose kind is chosen at random.
enum FuzzCase {
    static func run(_ random: inout SplitMix, _ bodies: [[UInt8]]) {
        switch random.below(4) {
        case 0, 1: mutatedFile(&random, bodies)
        case 2: patterns(&random)
        default: links(&random)
        }
    }

    private static func mutatedFile(_ random: inout SplitMix, _ bodies: [[UInt8]]) {
        let original = random.pick(bodies) ?? []
        let body = Mutation.damage(original, &random, donors: bodies)
        let report = AssociationLint.lint(body: body, as: random.pick([.aasa, .assetlinks, nil]) ?? nil)
        // The position of every finding must be valid for display.
        for finding in report.findings {
            precondition((finding.position?.line ?? 1) > 0 && (finding.position?.column ?? 1) > 0)
        }
        if random.below(4) == 0 {
            let fix = AssociationFix(body, as: report.kind)
            precondition(fix.fixed.isEmpty || JSONReader.read(fix.body).root != nil)
        }
        guard let link = LinkURL(HostileText.link(&random)) else { return }
        if let file = report.aasa ?? AASAFile(reading: body) {
            ask(AppleMatcher(file), link, &random)
            if random.below(8) == 0, let other = AASAFile(reading: original) {
                check(
                    LinkDiff.between(AppleMatcher(other), AppleMatcher(file)), AppleMatcher(other), AppleMatcher(file))
            }
        }
        if let file = report.assetLinks ?? AssetLinksFile(reading: body) { ask(AndroidMatcher(file), link) }
    }

    private static func patterns(_ random: inout SplitMix) {
        let texts = HostileText.files(&random)
        let link = LinkURL(HostileText.link(&random))
        if let file = AASAFile(reading: texts.aasa.utf8), let link { ask(AppleMatcher(file), link, &random) }
        if random.below(8) == 0 { _ = AssociationLint.lint(body: Array(texts.aasa.utf8), as: .aasa) }
        if let list = JSONReader.read(texts.dynamic.utf8).root?.array, let link {
            let matcher = DynamicMatcher(list.map(DynamicComponent.init))
            precondition(matcher.explain(link).decision == matcher.decide(link))
        }
    }

    private static func links(_ random: inout SplitMix) {
        let text = Mutation.damage(Array(HostileText.link(&random).utf8), &random, donors: [], limit: 70_000)
        guard let link = LinkURL(String(decoding: text, as: UTF8.self)) else { return }
        if let fixed { ask(fixed, link, &random) }
    }

    private static let fixed = Speed.fortyRules.map { AppleMatcher($0) }

    /// Both functions must return the same decision.
    private static func ask(_ matcher: AppleMatcher, _ link: LinkURL, _ random: inout SplitMix) {
        guard let app = random.pick(matcher.apps) else { return }
        precondition(matcher.explain(link, app: app).decision == matcher.decide(link, app: app))
    }

    /// A sample must have the property that it was made for.
    private static func check(_ diff: LinkDiff, _ old: AppleMatcher, _ new: AppleMatcher) {
        for change in diff.changes {
            precondition(old.decide(change.witness, app: change.app) == change.old)
            precondition(new.decide(change.witness, app: change.app) == change.new)
        }
    }

    private static func ask(_ matcher: AndroidMatcher, _ link: LinkURL) {
        for package in matcher.apps.prefix(3) {
            precondition(matcher.explain(link, package: package).decision == matcher.decide(link, package: package))
        }
    }
}
