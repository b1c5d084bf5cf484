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
        .form("/name/later") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let home = try await browser.get(place.deployment.origin + "/")
            return try await browser.submit(home.page().form(to: "/name/later"), on: home)
        },
        .form("/picture") { place, address in
            try await place.deployment.signedIn(as: address).givePicture(at: place.deployment.origin)
        },
        .form("/picture/remove") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            _ = try await browser.givePicture(at: place.deployment.origin)
            let page = try await browser.get(place.deployment.origin + "/picture")
            return try await browser.submit(page.page().form(to: "/picture/remove"), on: page)
        },
        .form("/erase/ask") { place, address in
            try await place.deployment.askToErase(address, in: place.deployment.signedIn(as: address))
        },
    ]
}
