import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// The written rules of the brands, as a browser draws the buttons (docs/providers.md).
@Suite(
    "Buttons of providers", .journey, .dependsOnMachine, .serialized,
    .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
struct ProviderButtonJourneys {
    @Test("Apple's is as large as any other and in sight without scrolling; sizes and colours are those of the rules")
    func brands() async throws {
        let folder = try TemporaryFolder()
        let group = PageStates.Group(
            settings: try UnvisitedProviders.settings(in: folder), states: Array(PageStates.providerButtons.prefix(1)))
        let gallery = try await PageGallery.capture([group], in: PageStates.languages)
        withExtendedLifetime(folder) {}
        try await gallery.serve { origin in
            let chromium = try await Chromium()
            for page in gallery.pages {
                for (width, height) in [(320, 568), (1_280, 900)] {
                    try await chromium.resize(width: width, height: height)
                    try await chromium.visit(origin + PageGallery.path(of: page))
                    let found = try await chromium.run(Self.rules).items.compactMap(\.text)
                    #expect(found.isEmpty, "\(page.name), \(width) px: \(found.joined(separator: "\n"))")
                }
            }
            try await chromium.quit()
        }
    }

    /// Returns a list of texts: what is wrong. A title in two lines, in a narrow window, makes its button higher.
    static let rules = """
        const wrong = [];
        const check = (holds, what) => { if (!holds) { wrong.push(what); } };
        const near = (a, b) => Math.abs(a - b) <= 1.5;
        const find = css => document.querySelector('.providers ' + css);
        const box = e => e.getBoundingClientRect();
        const buttons = [...document.querySelectorAll('.providers button')];
        const apple = box(find('.apple button'));
        check(buttons.length === 5, buttons.length + ' buttons');
        check(apple.bottom <= innerHeight, 'Apple below the window: ' + apple.bottom);
        for (const button of buttons) {
            check(button.textContent.trim() !== '', 'no text');
            check(near(box(button).width, apple.width), 'another width: ' + button.textContent);
            if (innerWidth > 500) { check(near(box(button).height, apple.height), 'another height: ' + button.textContent); }
        }
        check(apple.width >= 140 && apple.height >= 30, 'Apple too small');
        if (innerWidth > 500) {
            check(near(box(find('.apple img')).height, apple.height), 'the logo is not as high as the button');
            const share = parseFloat(getComputedStyle(find('.apple button')).fontSize) / apple.height;
            check(Math.abs(share - 0.43) <= 0.02, 'the title has ' + share + ' of the height');
        }
        const google = getComputedStyle(find('.google button'));
        check(google.backgroundColor === 'rgb(255, 255, 255)', 'Google fill ' + google.backgroundColor);
        check(google.borderTopColor === 'rgb(116, 119, 117)', 'Google border ' + google.borderTopColor);
        check(google.color === 'rgb(31, 31, 31)', 'Google text ' + google.color);
        for (const css of ['.google img', '.microsoft img', '.github img']) {
            check(near(box(find(css)).width, box(find(css)).height), css + ' is not square');
        }
        return wrong;
        """
}
