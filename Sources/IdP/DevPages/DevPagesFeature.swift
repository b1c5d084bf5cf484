package import IdPApps
package import IdPFlow
package import IdPMail
package import SSOWeb

/// The pages for a trial: the mailbox and the link tester.
package struct DevPagesFeature: Feature {
    package static let linkTester = Setting(
        "IDP_LINK_TESTER", without: "true on loopback, else false",
        // A page for developers is on by default on loopback only (ASVS 15.2.3).
        .text { values in (try? values[FlowSettings.publicURL])?.isLoopback == true ? "true" : "false" },
        example: "true", "Whether a page shows which app opens a link. Its address is printed at start.")
    package static let settings: [any ReadableSetting] = [linkTester]

    private let parts: SharedParts
    private let dev: DevPages
    private let outbox: OutboxMailer?
    private let association: AssociationFiles?

    /// - Parameters:
    ///   - outbox: nil without a mailbox.
    ///   - association: the files that the link tester reads.
    package init(
        _ parts: SharedParts, _ values: SettingValues, _ dev: DevPages, outbox: OutboxMailer?,
        association: AssociationFiles
    ) throws(SettingError) {
        (self.parts, self.dev, self.outbox) = (parts, dev, outbox)
        self.association = try values[Self.linkTester] ? association : nil
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        if let association {
            LinkTesterRoutes(
                files: association, dev: dev, isForThisMachineOnly: parts.origin.isLoopback,
                page: LinkTesterPage(pages: parts.pages, origin: parts.origin, path: dev.path(of: .links))
            ).addRoutes(to: &router)
        }
        if let outbox {
            MailboxRoutes(
                outbox: outbox, dev: dev, pages: parts.pages, clock: parts.clock,
                script: parts.assets.path(of: "mailbox.js")
            ).addRoutes(to: &router)
        }
    }
}
