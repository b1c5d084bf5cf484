import CZlib
import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared

/// Serves embedded style sheets and scripts. Each path contains a hash of the content, so browsers may cache them
/// without a time limit.
public struct StaticAssets: Sendable {
    /// Below it are all assets.
    static let folder = "/assets/"

    private struct Asset: Sendable {
        let path: String
        let headers: HTTPFields
        let body: ByteBuffer
        /// As gzip; nil where that is not shorter. Only what is the same for everybody is packed: in a page with a token, its
        /// length could tell of the token (RFC 9110 17.6).
        let packed: ByteBuffer?
    }

    private let assets: [String: Asset]

    /// - Parameter files: content by file name (`brand.css`, `continue.js`). `base.css` is always included.
    public init(_ files: [String: [UInt8]]) {
        let all = PageFiles.web.assets.merging(files) { $1 }
        assets = all.reduce(into: [:]) { result, file in
            let parts = file.key.split(separator: ".", maxSplits: 1)
            let stem = parts.first.map(String.init) ?? file.key
            let ending = parts.count == 2 ? String(parts[1]) : "txt"
            result[file.key] = Asset(
                path: "\(Self.folder)\(stem)-\(Self.hash(of: file.value)).\(ending)",
                headers: Self.headers(ending: ending),
                body: ByteBuffer(bytes: file.value), packed: Self.packed(file.value))
        }
    }

    static func hash(of content: [UInt8]) -> String { String(Hex.encode(SHA256.hash(content)).prefix(16)) }

    /// The headers of a file that never changes, by the ending of its name.
    public static func headers(ending: String) -> HTTPFields {
        let types = [
            "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
            "png": "image/png",
        ]
        var headers: HTTPFields = [
            .contentType: types[ending] ?? "text/plain; charset=utf-8",
            .cacheControl: "public, max-age=31536000, immutable",
        ]
        // A browser that opens an image by its address must run nothing that is in it.
        if ending == "svg" || ending == "png" { headers[.contentSecurityPolicy] = ContentPolicy.image }
        return headers
    }

    /// The path of the file called `name`. Empty when there is no such file.
    public func path(of name: String) -> String { assets[name]?.path ?? "" }

    /// The content of the text file called `name`. Empty when there is no such file.
    func text(of name: String) -> String { assets[name].map { String(buffer: $0.body) } ?? "" }

    /// Serves every file at its ``path(of:)`` with GET and HEAD, as immutable, and the icon also at `/favicon.ico`, where
    /// browsers look for it when the first response is not a page.
    public func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        for asset in assets.values { Self.serve(asset, at: asset.path, asset.headers, router) }
        guard let icon = assets["logo.svg"] ?? assets["logo.png"] ?? assets["icon.svg"] else { return }
        var headers = icon.headers
        headers[.cacheControl] = "public, max-age=86400"
        Self.serve(icon, at: "/favicon.ico", headers, router)
    }

    private static func serve<Context: RequestContext>(
        _ asset: Asset, at path: String, _ headers: HTTPFields, _ router: Router<Context>
    ) {
        router.only([.get, .head], at: RouterPath(path)) { request, _ in
            var response = Response(status: .ok, headers: headers, body: .init(byteBuffer: asset.body))
            if let packed = asset.packed {
                response.headers[.vary] = "Accept-Encoding"
                if request.takesGzip {
                    response.body = .init(byteBuffer: packed)
                    response.headers[.contentLength] = String(packed.readableBytes)
                    response.headers[.contentEncoding] = "gzip"
                }
            }
            return response
        }
    }

    private static func packed(_ content: [UInt8]) -> ByteBuffer? {
        let packed = [UInt8](unsafeUninitializedCapacity: content.count) { buffer, count in
            count = content.withUnsafeBufferPointer {
                sso_gzip($0.baseAddress, $0.count, buffer.baseAddress, content.count)
            }
        }
        return packed.isEmpty ? nil : ByteBuffer(bytes: packed)
    }
}

extension Request {
    /// Whether the client reads gzip (RFC 9110 12.5.3). One that says nothing gets the bytes as they are.
    var takesGzip: Bool {
        headers[values: .acceptEncoding].contains { value in
            value.lowercased().split(separator: ",").contains { coding in
                let parts = coding.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
                return parts.first == "gzip"
                    && !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
            }
        }
    }
}

extension LogoFile {
    /// The answer to a request for the logo at a path with ``hash``, as immutable.
    package var response: Response {
        Response(
            status: .ok, headers: StaticAssets.headers(ending: kind.rawValue),
            body: .init(byteBuffer: ByteBuffer(bytes: content)))
    }
}
