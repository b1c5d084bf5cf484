import IdPApps
import IdPFlow
import SSOShared
import Testing

@testable import IdPAccountPages
@testable import IdPAccounts
@testable import SSOWeb
@testable import TestKit

@Suite("Words of the activity page", .rules)
struct ActivityWordsTests {
    @Test("the sign-in of a browser and that of an app's web view say how")
    func signIns() {
        #expect(UserActivity.signIns == [EventKind.signedIn.id, EventKind.handoffSignedIn.id])
    }

    @Test("each change of an account has words of its own, in both languages", arguments: Language.builtIn)
    func changes(_ language: Language) throws {
        let texts = try Catalogue([PageFiles.accountPages.texts])[language]
        let words = UserChange.allCases.map { texts.plain($0.words) }
        #expect(Set(words).count == UserChange.allCases.count)
        #expect(!words.contains(texts.plain(Text("activity.user-changed"))))
    }
}
