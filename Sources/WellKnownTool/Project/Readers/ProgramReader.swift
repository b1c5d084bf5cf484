/// Names the files that say how the project is built and that only a run of another program can read.
enum ProgramReader: ProjectReader {
    private static let files: [String: (kind: String, text: String)] = [
        "pubspec.yaml": ("Flutter project", "the platform folders are read"),
        "react-native.config.js": ("React Native project", "the platform folders are read"),
        "metro.config.js": ("React Native project", "the platform folders are read"),
        "Project.swift": ("Tuist project", "a program, not read: run tuist generate, and give --project again"),
        "project.yml": ("XcodeGen project", "not read: run xcodegen, and give --project again"),
    ]

    static func takes(_ path: String) -> Bool { files[ProjectFolder.name(of: path)] != nil }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var offer = ProjectOffer()
        var seen: Set<String> = []
        for path in folder.paths {
            guard let file = files[ProjectFolder.name(of: path)], seen.insert(file.kind).inserted else { continue }
            offer.notes.append(folder.note(path, file.kind, file.text))
        }
        return offer
    }
}
