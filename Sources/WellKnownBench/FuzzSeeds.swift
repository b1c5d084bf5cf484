import Foundation

/// What mutation begins with.
enum FuzzSeeds {
    static let all: [[UInt8]] = [aasa, legacy, dictionary, assetlinks].map { Array($0.utf8) }

    /// The bodies of a folder and of the folders in it, up to 128 KiB each.
    static func read(_ folder: String) throws -> [[UInt8]] {
        let root = URL(filePath: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        return names.compactMap { name in
            let url = root.appending(path: name)
            guard !url.hasDirectoryPath, let data = try? Data(contentsOf: url), data.count <= 131_072 else {
                return nil
            }
            return Array(data)
        }
    }

    private static let aasa = """
        {"applinks":{"defaults":{"caseSensitive":false},"substitutionVariables":{"food":["burrito","pizza","s?shi*"]},
        "details":[{"appIDs":["A1B2C3D4E5.com.example.app","A1B2C3D4E5.com.example.app2"],"defaults":{"percentEncoded":false},
        "components":[{"#":"no_universal_links","exclude":true},{"/":"/buy/*"},{"/":"/help/website/*","exclude":true},
        {"/":"/$(lang)_$(region)/$(food)/*"},{"/":"/help/*","?":{"articleNumber":"????","x":"?*"},"comment":"é"}]}]},
        "webcredentials":{"apps":["A1B2C3D4E5.com.example.app"]},"appclips":{"apps":["A1B2C3D4E5.com.example.app.Clip"]}}
        """
    private static let legacy = """
        {"applinks":{"apps":[],"details":[{"appID":"A1B2C3D4E5.com.example.app","paths":["NOT /private/*","/a?c/*","*"]}]}}
        """
    private static let dictionary = """
        {"applinks":{"apps":[],"details":{"A1B2C3D4E5.com.example.app":{"paths":["/x/*"]}}}}
        """
    private static let assetlinks = """
        [{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],
        "target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":[
        "9A:3C:51:0F:77:E2:4B:D8:16:AC:05:6F:B1:92:3E:C4:5D:80:E9:2A:47:1B:F6:63:DC:08:95:7E:A0:34:CB:12"]},
        "relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[
        {"/":"/private*","exclude":true},{"/":"/shop/*","?":{"q":"?*"},"#":"top"},{"/":"*"}]}}},
        {"include":"https://example.com/more.json"},
        {"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"https://example.com"}}]
        """
}
