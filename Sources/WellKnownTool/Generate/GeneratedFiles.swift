import Foundation
import Glibc
import WellKnown

/// The files of a plan. They are checked before they are written.
struct GeneratedFiles {
    struct File {
        let kind: AssociationKind
        let bytes: [UInt8]
    }

    let files: [File]
    /// The intent filter for the manifest, or `nil` without an Android app or a host.
    let intentFilter: String?
    /// Errors that prevent writing. Empty if the files can be written.
    let refusals: [String]
    /// Warnings about parts that do not work everywhere, without duplicates.
    let remarks: [String]

    init(_ plan: AssociationPlan, host: String?) {
        var files: [File] = []
        if let file = plan.appleFile { files.append(File(kind: .aasa, bytes: file.json())) }
        if let file = plan.assetLinks { files.append(File(kind: .assetlinks, bytes: file.json())) }
        self.files = files
        let name = host ?? "example.com"
        intentFilter = plan.androidApps.isEmpty ? nil : host.map { plan.intentFilter(host: $0).manifestText }
        let reports = files.map { file in
            let options = LintOptions(file: file.kind.fileName, domain: name)
            return AssociationLint.lint(body: file.bytes, as: file.kind, options: options)
        }
        var findings = reports.flatMap(\.findings)
        if let aasa = reports.lazy.compactMap(\.aasa).first,
            let assetLinks = reports.lazy.compactMap(\.assetLinks).first
        {
            findings += ParityLint(aasa, assetLinks, filters: [plan.intentFilter(host: name)], host: name).findings()
        }
        // Most findings of severity info would be about deliberate output, such as duplicate rules for iOS 12.
        remarks = findings.filter { $0.severity == .warning }.map { "\($0.code): \($0.message)" }.uniqued { $0 }
        let reasons =
            plan.deadRoutes.map { "\($0) opens nothing: the excludes take all of it." }
            + plan.mismatches(host: name).prefix(20).map(\.description)
            + findings.filter { $0.severity == .error }.map { "\($0.code): \($0.message)" }
        refusals = reasons.uniqued { $0 }
    }

    /// Writes the files below `folder/.well-known/`. If one file cannot be written, no file is written.
    ///
    /// - Returns: the paths, in the order of the files.
    func write(to folder: String, force: Bool) throws(InputError) -> [String] {
        let place = (folder.hasSuffix("/") ? folder : folder + "/") + ".well-known"
        let paths = files.map { "\(place)/\($0.kind.fileName)" }
        for (path, file) in zip(paths, files) where !force && Self.exists(path) {
            guard FileManager.default.contents(atPath: path).map(Array.init) != file.bytes else { continue }
            throw InputError(description: "\(path.printable) is there already; --force replaces it")
        }
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw InputError(description: "cannot make the folder \(place.printable)")
        }
        for path in paths where Self.isFolder(path) {
            throw InputError(description: "cannot write \(path.printable): it is a folder")
        }
        var written: [String] = []
        do throws(InputError) {
            for (path, file) in zip(paths, files) { written.append(try Self.write(file.bytes, beside: path)) }
            for (path, file) in zip(paths, written) where rename(file, path) != 0 {
                throw InputError(description: "cannot write \(path.printable)")
            }
        } catch {
            for file in written { unlink(file) }
            throw error
        }
        return paths
    }

    private static func isFolder(_ path: String) -> Bool {
        var entry = stat()
        return lstat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the path exists. A symbolic link without a target counts as existing.
    private static func exists(_ path: String) -> Bool {
        var entry = stat()
        return lstat(path, &entry) == 0
    }

    /// Writes a file that is then renamed, so that a web server which reads it meanwhile gets the old or the new content.
    ///
    /// - Returns: its path.
    private static func write(_ bytes: [UInt8], beside path: String) throws(InputError) -> String {
        let fault = InputError(description: "cannot write \(path.printable)")
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw fault }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        let isWritten = (try? handle.write(contentsOf: Data(bytes))) != nil
        // The mode lets the web server read the file, as with a file made by hand.
        let isReady = isWritten && fchmod(descriptor, 0o644) == 0 && fsync(descriptor) == 0
        close(descriptor)
        guard isReady else {
            unlink(temporary)
            throw fault
        }
        return temporary
    }
}
