/// The rules about the two files of one site: codes `parity.*`.
public enum ParityRules {
    public static let rules: [LintRule] = [decision, service, host]

    static let decision = LintRule(
        "parity.decision", .warning, "A link opens the app on one system and not on the other",
        reason: "The same link ends in the app on one phone and in the browser on the other.",
        fix: "Write the rules so that they name the link on both, or on neither.",
        source: "Apple, \"applinks.Details.Components\"; Google, \"Configure Dynamic App Links\"")
    static let service = LintRule(
        "parity.service", .info, "Passwords and passkeys are shared on one system only",
        reason: "People sign in with what is saved on one phone, and have to type on the other.",
        fix: "Name the app in webcredentials, and get_login_creds in its statement.",
        source: "Apple, \"Supporting associated domains\"; Android, \"Sign in your user with Credential Manager\"")
    static let host = LintRule(
        "parity.host", .warning, "The host has one of the two files only",
        reason: "Its links open the app on one system only.", fix: "Serve the other file, too.",
        source: "Apple, \"Supporting associated domains\"; Google, \"Verify Android App Links\"")
}
