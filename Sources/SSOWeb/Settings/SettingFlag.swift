/// A setting that is either on or off.
public enum SettingFlag {
    /// - Throws: ``SettingFault`` for anything but `true` and `false`.
    public static func parse(_ text: String) throws -> Bool {
        switch text {
        case "true": true
        case "false": false
        default: throw SettingFault("\"\(text)\" is neither true nor false.")
        }
    }
}
