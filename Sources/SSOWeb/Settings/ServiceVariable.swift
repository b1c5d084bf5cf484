/// The variables that Kubernetes, as Docker's links before it, sets in a pod for each Service: for one that is named `idp` they begin
/// as the settings do. Source: Kubernetes, "Service", "Environment variables".
enum ServiceVariable {
    /// Whether a variable is one of them, by its name and, where the name alone could be a setting, by its value.
    static func `is`(_ name: String, _ value: String?) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.contains(#/_SERVICE_PORT(_[A-Z0-9_]+)?$/#) { return true }
        if name.contains(#/_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/#) { return true }
        return name.hasSuffix("_PORT") && value?.prefixMatch(of: #/(tcp|udp|sctp):\/\//#) != nil
    }
}
