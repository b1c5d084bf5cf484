/// The paths that an app with a web view knows, in both programs.
public enum NativePath {
    /// The page by which an app recognises that its web view is signed in.
    public static let resetApp = "/reset_app"
    /// Whether the web view is still signed in: 200 or 401.
    public static let sessionCheck = "/api/v1/session/check"
}
