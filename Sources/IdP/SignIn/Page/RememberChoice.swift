import HTTPTypes
import Hummingbird
import SSOShared
package import SSOWeb

/// The box "Keep me signed in on this device" of a form that signs in, for the template `remember`.
///
/// The choice is made with the proof and never later: a stolen cookie must not prolong its session. It is not ticked unless the
/// user has ticked it in this very sign-in.
package struct RememberChoice: Encodable, Sendable {
    /// The name of the field.
    static let field = "remember"

    /// How long the browser stays signed in, in words.
    let life: String
    let isTicked: Bool
    /// Whether there are buttons of providers on the page, for which it does not count.
    let isBesideProviders: Bool

    /// Nil where there is no box: the setting is off, or the form is in an app, whose session lasts longer in any case.
    init?(
        _ lifetime: SessionLifetime, isTicked: Bool, _ request: Request, _ texts: Texts,
        besideProviders: Bool = false
    ) {
        guard let remembered = lifetime.remembered, !request.isFromNativeShell else { return nil }
        life = texts.plain(.days(remembered))
        (self.isTicked, isBesideProviders) = (isTicked, besideProviders)
    }

    /// Whether the user has ticked the box.
    ///
    /// - Throws: ``PublicError`` 400 for a field that is there twice.
    package static func isTicked(in fields: URLEncodedFields) throws -> Bool {
        try fields.text(field)?.isEmpty == false
    }
}
