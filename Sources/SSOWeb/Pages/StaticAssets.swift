import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared

/// Style sheets and scripts, compiled in and served under a hash of their content: cached for ever, never stale.
public struct StaticAssets: Sendable {
    private struct Asset: Sendable {
        let path: String
        let type: String
        let body: ByteBuffer
    }

    private let assets: [String: Asset]

    /// - Parameter files: name with extension (`brand.css`, `continue.js`) to content. `base.css` is always there.
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

    /// Where the file called `name` is served; the empty text for a file that is not there.
    public func path(of name: String) -> String { assets[name]?.path ?? "" }

    /// Serves every file at its ``path(of:)``, with GET and HEAD, to be kept for ever.
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
