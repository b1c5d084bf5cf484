public import Foundation

/// Opens files that settings and commands name.
public enum RegularFile {
    /// A file to read. Anything but a regular file is refused at once: opening or reading a FIFO would wait for its writer, and
    /// a program that waits says nothing.
    public static func open(_ path: String) -> FileHandle? {
        let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return handle
    }
}

/// What users of this machine can do with a file who are neither its owner nor of its group.
public enum FileAccess {
    /// Warns of a secret that others have any right to. nil when they have none, or when there is no such file.
    public static func warning(ofSecret path: String, setting: String) -> String? {
        othersMode(of: path, forbidden: 0o007).map {
            "\(setting): other users of this machine can use the file \(path), which has the mode \($0). "
                + "Take their rights away: chmod o= \(path)"
        }
    }

    /// Warns of a file with settings that others can write.
    public static func warning(ofSettings path: String, setting: String) -> String? {
        othersMode(of: path, forbidden: 0o002).map {
            "\(setting): other users of this machine can write the file \(path), which has the mode \($0). "
                + "Take that right away: chmod o-w \(path)"
        }
    }

    /// The mode of the file, if others have one of the rights and can reach it.
    private static func othersMode(of path: String, forbidden: mode_t) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let real = String(cString: resolved)
        // Docker shows each secret of a compose file there with the mode 0444: in a container there are no other users.
        guard !real.hasPrefix("/run/secrets/"), let mode = mode(of: real), mode & forbidden != 0 else { return nil }
        var folder = URL(fileURLWithPath: real).deletingLastPathComponent()
        while folder.path != "/" {
            // Others cannot pass through this folder.
            if let mode = self.mode(of: folder.path), mode & 0o001 == 0 { return nil }
            folder.deleteLastPathComponent()
        }
        return "0" + String(mode & 0o777, radix: 8)
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }
}

extension SettingsReader {
    /// Warns when others of this machine can use a file with a secret.
    public func warnOfOthers(secretFile path: String, setting: String) {
        FileAccess.warning(ofSecret: path, setting: setting).map(warn)
    }
}
