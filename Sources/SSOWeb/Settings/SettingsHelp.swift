/// The part of `--help` that names the settings.
public enum SettingsHelp {
    public static func text(_ names: [String], secrets: [String]) -> String {
        """
        Settings come from the command line (--idp-listen 127.0.0.1:9090), the environment (IDP_LISTEN), or a file \
        .env in the working folder, in that order.

        Settings: \((names + SettingsArguments.common).joined(separator: ", ")).

        Secrets, in the environment or as NAME_FILE only: \(secrets.joined(separator: ", ")).
        """
    }
}
