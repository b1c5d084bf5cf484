import Foundation

/// A file of certificates to trust, looked at before the first call: a wrong path would otherwise show as "certificate
/// refused" when somebody signs in.
public enum CertificateFile {
    /// A whole system's bundle is some hundred KiB.
    private static let longest = 4 << 20

    /// Why the file at `path` is of no use, nil when it holds at least one certificate in PEM form.
    public static func fault(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: longest) else {
            return "cannot read the file \(path). Check the path and the permissions."
        }
        guard data.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            return "the file \(path) holds no certificate. Give one or more in PEM form."
        }
        return nil
    }
}
