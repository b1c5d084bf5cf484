import IdPApps
import IdPFlow
import IdPMail
import SSOWeb

/// The association files, and the pages for a trial.
struct PublicFilesFeature: Feature {
    private let parts: SharedParts
    private let association: AssociationFiles
    private let dev: DevPages
    private let outbox: OutboxMailer?
    private let hasLinkTester: Bool

    init(_ parts: SharedParts, association: AssociationFiles, settings: IdPSettings, services: IdPServices) {
        (self.parts, self.association, dev) = (parts, association, services.devPages)
        outbox = settings.showsMailbox ? services.mailer as? OutboxMailer : nil
        hasLinkTester = settings.linkTester
    }

    func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        AssociationRoutes(files: association).addRoutes(to: &router)
        if hasLinkTester {
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
