import Mustache

/// The properties of a page and of the layout around it. An object: for each name that a template asks for, the library
/// copies it several times.
final class Framed: MustacheParent {
    private let frame: Pages.Frame
    private let language: Language
    private let properties: [String: Any]
    private let languageSwitchHTML: String

    init(frame: Pages.Frame, language: Language, model: some Encodable, languageSwitchHTML: String = "") {
        self.frame = frame
        self.language = language
        self.languageSwitchHTML = languageSwitchHTML
        properties = Properties(of: model).values
    }

    func child(named name: String) -> Any? {
        switch name {
        case "language": language.rawValue
        case "isRightToLeft": LanguageRules.isRightToLeft(language)
        // Emails know no "start".
        case "start": LanguageRules.isRightToLeft(language) ? "right" : "left"
        case "languageSwitchHTML": properties[name] ?? languageSwitchHTML
        case "stylesheets": frame.stylesheets
        case "icon": frame.icon
        case "touchIcon": frame.touchIcon
        case "hasTouchIcon": !frame.touchIcon.isEmpty
        case "ground": frame.ground?.light ?? ""
        case "groundDark": frame.ground?.dark ?? ""
        case "hasGround": frame.ground != nil
        case "brandLogo": frame.logo
        case "hasBrandLogo": !frame.logo.isEmpty
        case "hasLogoSize": frame.brand.logo?.size != nil
        case "logoWidth": frame.brand.logo?.size.map { "\($0.width)" } ?? ""
        case "logoHeight": frame.brand.logo?.size.map { "\($0.height)" } ?? ""
        case "times": frame.times
        case "mailAccent": frame.brand.mailAccent.light
        case "mailAccentDark": frame.brand.mailAccent.dark
        case "hasMailLogo": frame.brand.mailLogo != nil
        case "supportURL": frame.brand.supportURL ?? ""
        case "hasSupport": frame.brand.supportURL != nil
        case "privacyURL": frame.brand.privacyURL ?? ""
        case "hasPrivacy": frame.brand.privacyURL != nil
        case "hasFoot": frame.brand.supportURL != nil || frame.brand.privacyURL != nil
        default: properties[name] ?? frame.values[name]
        }
    }
}
