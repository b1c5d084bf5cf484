package import IdPApps
package import IdPFlow
package import IdPMail
import SSOWeb

/// The pages for a trial: the mailbox and the link tester.
package struct DevPagesFeature: Feature {
    private let parts: SharedParts
    private let dev: DevPages
    private let outbox: OutboxMailer?
    private let association: AssociationFiles?

    /// - Parameters:
    ///   - outbox: nil without a mailbox.
    ///   - association: the files that the link tester reads; nil without one.
    package init(_ parts: SharedParts, _ dev: DevPages, outbox: OutboxMailer?, association: AssociationFiles?) {
        (self.parts, self.dev, self.outbox, self.association) = (parts, dev, outbox, association)
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
