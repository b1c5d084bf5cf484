import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Every state of every page as files, for `script/contact-sheet`.
@Suite("Page folder", .journey)
struct PageFolderTests {
    private static let folder = ProcessInfo.processInfo.environment["PAGES"]
    /// Those of `PAGE_LANGUAGES`, such as `fr es`, in place of the built-in ones.
    private static let languages =
        ProcessInfo.processInfo.environment["PAGE_LANGUAGES"]?.split(separator: " ").map(String.init)
        ?? PageStates.languages

    @Test(
        "with PAGES=FOLDER every page state and every email is written there, with its styles, scripts and images",
        .enabled(if: folder != nil, "needs PAGES=FOLDER"))
    func writesPages() async throws {
        let target = try #require(Self.folder)
        let settings = try TemporaryFolder()
        let gallery = try await PageGallery.capture(
            PageStates.all(in: settings) + PageStates.emails(in: settings), in: Self.languages)
        withExtendedLifetime(settings) {}
        try gallery.write(to: target)
        #expect(!gallery.pages.isEmpty)
    }
}
