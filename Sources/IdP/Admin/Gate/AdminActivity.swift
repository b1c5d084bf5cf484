import SSOWeb

/// The session slot with the last request to an admin page. A new sign-in begins without one.
struct AdminActivity: SessionSlot {
    static let key = "admin"
    static let survivesSignIn = false

    /// Nil before the first request of this sign-in.
    var usedAt: Timestamp?

    init() {}
}
