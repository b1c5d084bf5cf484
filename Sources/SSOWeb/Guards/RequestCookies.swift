import HTTPTypes
public import Hummingbird

extension Request {
    /// The value of the one cookie called `name`. Two cookies of that name count as none: a sibling domain may have set
    /// one of them (cookie tossing), and the server cannot tell which.
    public func cookie(named name: String) -> Substring? {
        var found: Substring?
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { continue }
                if found != nil { return nil }
                found = pair[pair.index(after: equals)...]
            }
        }
        return found
    }
}
