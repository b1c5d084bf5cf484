import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared

/// Serves embedded style sheets and scripts. Each path contains a hash of the content, so browsers may cache them
/// without a time limit.
public struct StaticAssets: Sendable {
    private struct Asset: Sendable {
        let path: String
        let type: String
        let body: ByteBuffer
    }

    private let assets: [String: Asset]

    /// - Parameter files: content by file name (`brand.css`, `continue.js`). `base.css` is always included.
    public init(_ files: [String: [UInt8]]) {
        let all = ["base.css": PackageResources.base_css].merging(files) { $1 }
        assets = all.reduce(into: [:]) { result, file in
            let parts = file.key.split(separator: ".", maxSplits: 1)
            let stem = parts.first.map(String.init) ?? file.key
            let ending = parts.count == 2 ? String(parts[1]) : "txt"
            let hash = Hex.encode(SHA256.hash(file.value)).prefix(16)
            result[file.key] = Asset(
                path: "/assets/\(stem)-\(hash).\(ending)", type: Self.types[ending] ?? "text/plain; charset=utf-8",
                body: ByteBuffer(bytes: file.value))
        }
    }

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// The path of the file called `name`. Empty when there is no such file.
    public func path(of name: String) -> String { assets[name]?.path ?? "" }

    /// Serves every file at its ``path(of:)`` with GET and HEAD, as immutable.
    public func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        for asset in assets.values {
            router.only([.get, .head], at: RouterPath(asset.path)) { request, _ in
                let headers: HTTPFields = [
                    .contentType: asset.type, .cacheControl: "public, max-age=31536000, immutable",
                ]
                let response = Response(status: .ok, headers: headers, body: .init(byteBuffer: asset.body))
                return request.method == .head ? response.createHeadResponse() : response
            }
        }
    }
}
