import SSOShared
import WellKnown

/// The names of the examined files, to which the rows of the table point.
struct DoctorNames: Sendable {
    /// A file name or a URL.
    var aasa, assetlinks: String?
    var entitlements, profile, manifest: String?
    var certificates: [String] = []

    /// The file of a side of a row, or `nil` if the side is not in a file.
    func file(of side: DoctorLine.Side) -> String? {
        switch side.place {
        case "apple-app-site-association": aasa
        case "assetlinks.json": assetlinks
        case "entitlements": entitlements
        case "profile": profile
        case "manifest": manifest
        case _ where side.place.hasPrefix("manifest:"): manifest
        case _ where side.place == aasa || side.place == assetlinks: side.place
        default: certificates.first { name in side.place.hasPrefix((name.split(separator: "/").last ?? "") + ", ") }
        }
    }

    /// The file and position to which a row points: the second side if it is in a file, else the first.
    func location(of line: DoctorLine) -> (file: String, position: SourcePosition?)? {
        let sides = [line.right, line.left]
        let side = sides.first { file(of: $0) != nil && $0.position != nil } ?? sides.first { file(of: $0) != nil }
        return side.flatMap { side in file(of: side).map { ($0, side.position) } }
    }
}
