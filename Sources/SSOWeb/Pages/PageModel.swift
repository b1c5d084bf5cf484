import Mustache

/// The properties of a page and of the layout around it. An object: for each name that a template asks for, the library
/// copies it several times.
final class Framed: MustacheParent {
    private let frame: Pages.Frame
    private let language: Language
    private let properties: [String: Any]
    private let languageSwitchHTML: String

    init(frame: Pages.Frame, language: Language, model: any Sendable, languageSwitchHTML: String = "") {
        self.frame = frame
        self.language = language
        self.languageSwitchHTML = languageSwitchHTML
        properties = model as? [String: String] ?? Properties(model).values
    }

    func child(named name: String) -> Any? {
        switch name {
        case "language": language.rawValue
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

/// The properties of a struct in a model. Read by reflection once: a template asks for names many times, inside a section
/// also for those of the structs around it, and each time the library would reflect all properties again.
private struct Properties: MustacheParent {
    let values: [String: Any]

    private init(texts: [String: String]) { values = texts }

    init(_ model: Any) { self.init(mirror: Mirror(reflecting: model)) }

    private init(mirror: Mirror) {
        let properties = mirror.children
        var values: [String: Any] = [:]
        values.reserveCapacity(properties.count)
        for property in properties {
            guard let label = property.label, values[label] == nil else { continue }
            values[label] = Self.prepared(property.value)
        }
        self.values = values
    }

    func child(named name: String) -> Any? { values[name] }

    /// Structs and the items of a list of structs are read as well. An optional without a value is left out, so that its
    /// section is not shown.
    private static func prepared(_ value: Any) -> Any? {
        // Most values, and known without reflection. An optional one is its value here.
        if let text = value as? String { return text }
        if let flag = value as? Bool { return flag }
        if let moment = value as? Moment {
            return Properties(texts: ["iso": moment.iso, "text": moment.text, "ago": moment.ago ?? moment.text])
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.flatMap { prepared($0.value) } }
        if isRead(value, mirror) { return Properties(mirror: mirror) }
        guard let items = value as? [Any], let first = items.first, isRead(first, Mirror(reflecting: first)) else {
            return value
        }
        return items.map { Properties($0) }
    }

    /// Whether a template names the properties of a value. Other structs are shown as text.
    private static func isRead(_ value: Any, _ mirror: Mirror) -> Bool {
        mirror.displayStyle == .struct && !(value is any MustacheCustomRenderable)
            && !(value is any MustacheParent) && !(value is any CustomStringConvertible)
    }
}
