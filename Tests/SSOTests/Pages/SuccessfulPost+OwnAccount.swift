@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension SuccessfulPost {
    static let ownAccount: [SuccessfulPost] = [
        .form("/address/ask") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            return try await place.deployment.askForAddress("new-\(address)", in: browser)
        },
        .form("/address/code") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            return try await place.deployment.changeAddress(to: "new-\(address)", in: browser)
        },
        .form("/address/stop") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            _ = try await place.deployment.changeAddress(to: "new-\(address)", in: browser)
            return try await place.deployment.stopAddress(
                place.deployment.addressStopLink(to: address), in: place.deployment.browser())
        },
        // The answer is the file itself.
        .form("/data", status: 200) { place, address in
            try await place.deployment.download(in: place.deployment.signedIn(as: address))
        },
        .form("/erase/ask") { place, address in
            try await place.deployment.askToErase(address, in: place.deployment.signedIn(as: address))
        },
    ]
}
