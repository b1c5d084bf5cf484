/// The rows of the doctor's table as findings: codes `doctor.*`.
public enum DoctorRules {
    private static let source = "Apple, \"Supporting associated domains\"; Google, \"Verify Android App Links\""

    public static let rules: [LintRule] = [differs, caution, notChecked]

    public static let differs = LintRule(
        "doctor.differs", .error, "Two places that must agree do not",
        reason: "A link opens the app only if the server's file, the app and its signature name each other. The system "
            + "reports no difference: the link opens the browser.",
        fix: "Change the place that is wrong. The row names both places, their values and what to do.", source: source)
    public static let caution = LintRule(
        "doctor.caution", .warning, "The places agree, with a reservation",
        reason: "Links work now, and stop working or work in part under the condition that the row names: on older "
            + "systems, for another host, or after a date.",
        fix: "Read the row's advice, and check the condition.", source: source)
    public static let notChecked = LintRule(
        "doctor.not-checked", .info, "A place was not given, so nothing was compared",
        reason: "A difference there stays unknown.",
        fix: "Give the file or value with the option that the row names.", source: source)
}
