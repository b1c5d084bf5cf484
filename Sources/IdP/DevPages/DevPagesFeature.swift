package import IdPApps
package import IdPFlow
package import IdPMail
package import SSOWeb

/// The pages for a trial: the mailbox and the link tester.
package struct DevPagesFeature: Feature {
    private static let linkTesterName = "IDP_LINK_TESTER"
    package static let linkTester = Setting(
        linkTesterName, without: "true on loopback, else false",
        .text { values in (try? values[FlowSettings.publicURL])?.isLoopback == true ? "true" : "false" },
        example: "true",
        "Whether a page shows which app opens a link, with a loopback IDP_PUBLIC_URL only. Its address is printed at start."
    )
    .checked { isOn, reader, values in
        guard isOn, let publicURL = try? values[FlowSettings.publicURL], !publicURL.isLoopback else { return }
        reader.warn(
            "\(linkTesterName): has no effect, because the page is for a loopback \(FlowSettings.publicURL.name) only. Remove it."
        )
    }
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
        self.association = try Self.showsLinkTester(values) ? association : nil
    }

    /// Whether the link tester exists: a page for developers, on loopback only (ASVS 15.2.3).
    package static func showsLinkTester(_ values: SettingValues) throws(SettingError) -> Bool {
        guard try values[linkTester] else { return false }
        return try values[FlowSettings.publicURL].isLoopback
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        if let association {
            LinkTesterRoutes(
                files: association, dev: dev,
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
