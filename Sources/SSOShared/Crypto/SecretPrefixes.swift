/// The beginnings of all secrets that the programs hand out, for what must recognise a secret in any text.
public enum SecretPrefixes {
    /// The ``SecretKind/prefix`` of every kind. A new kind is added here.
    public static let all = ["inv_", "sat_", "shc_", "sil_", "slt_", "soa_", "soc_", "sor_", "sst_"]
}
