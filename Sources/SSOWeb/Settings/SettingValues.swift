/// What a program reads as one value: one setting, or several that belong together.
package protocol ReadableSetting<Value>: Sendable {
    associatedtype Value: Sendable

    /// What its value is kept under: its name, or the first of its names.
    var name: String { get }
    /// Its settings, in the order of `--help`.
    var descriptions: [SettingDescription] { get }
    /// Reads and records it. Problems are in `reader` afterwards.
    ///
    /// - Parameter values: those that were read before, for a rule or a default that reads others.
    /// - Returns: nil when there is a problem.
    func read(_ reader: SettingsReader, _ values: SettingValues) -> Value?
}

/// The values of a program's settings, each looked up by the setting that it belongs to: `try values[auditDays]`.
package struct SettingValues: Sendable {
    private struct Entry<Value: Sendable>: Sendable { let value: Value }

    private var entries: [String: any Sendable] = [:]
    private var faulty: Set<String> = []
    /// What `check` prints of them: every setting in force, secrets as fingerprints, and what is probably wrong.
    package private(set) var lines: [SettingsReader.Line] = []
    package private(set) var warnings: [String] = []

    /// Reads all settings in this order. One with a problem has no value, and the others are read all the same: an operator sees
    /// all problems at once.
    package init(_ settings: [any ReadableSetting], _ reader: SettingsReader) {
        for setting in settings { read(setting, reader) }
        (lines, warnings) = (reader.lines, reader.warnings)
    }

    /// The value of a setting.
    ///
    /// - Throws: ``SettingError`` for one that has a problem, and for one that is not in the list of the program.
    package subscript<Setting: ReadableSetting>(_ setting: Setting) -> Setting.Value {
        get throws(SettingError) {
            guard let entry = entries[setting.name] as? Entry<Setting.Value> else {
                throw SettingError("\(setting.name): has no value, or is not in the list of settings.")
            }
            return entry.value
        }
    }

    /// Whether the reading of a setting found a problem.
    package func isFaulty(_ setting: some ReadableSetting) -> Bool { faulty.contains(setting.name) }

    private mutating func read<Setting: ReadableSetting>(_ setting: Setting, _ reader: SettingsReader) {
        let before = reader.problems.count
        if let value = setting.read(reader, self) { entries[setting.name] = Entry(value: value) }
        if reader.problems.count > before { faulty.insert(setting.name) }
    }
}

extension SettingsReader {
    /// Reads a setting by itself.
    package func value<Setting: ReadableSetting>(_ setting: Setting) -> Setting.Value? {
        setting.read(self, SettingValues([], self))
    }
}

extension [SettingDescription] {
    /// All settings of a list, in its order.
    package init(_ settings: [any ReadableSetting]) { self = settings.flatMap(\.descriptions) }

    /// The same list with some settings elsewhere: `--help` has those of one subject together, whenever they are read.
    package func moving(_ moved: [any ReadableSetting], after place: some ReadableSetting) -> Self {
        let (moved, last) = ([SettingDescription](moved), place.descriptions.last?.name)
        let names = Set(moved.map(\.name))
        return filter { !names.contains($0.name) }.flatMap { $0.name == last ? [$0] + moved : [$0] }
    }
}
