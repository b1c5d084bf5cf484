import HTTPTypes
import Hummingbird
import SSOWeb

/// The page with the field `email`.
struct SignInPage: Sendable {
    let pages: Pages
    let script: String

    struct Model: Sendable {
        let formToken, flow, service, address, script: String
        let hasService, hasError: Bool
    }

    func response(formToken: String, flow: FlowID?, service: String?, address: String, hasError: Bool) -> Response {
        let model = Model(
            formToken: formToken, flow: flow?.text ?? "", service: service ?? "", address: address, script: script,
            hasService: service != nil, hasError: hasError)
        return pages.response("sign-in", model, status: hasError ? .unprocessableContent : .ok)
    }
}
