import TillReceipts

/// Decides which values are private, and so masked by default: secrets and identifiers of devices.
///
/// The names of secrets are one list for all commands, `SecretName`. The names of identifiers of devices are here. The
/// app account token is not private: it is the app's own pseudonym of its customer, and a column of the rows.
enum Privacy {
    /// Names of members in lower case, without `_` and `-`.
    private static let deviceNames: Set<String> = [
        "uniqueidentifier", "uniquevendoridentifier", "deviceid", "deviceidentifier", "deviceguid", "deviceuuid",
        "guid", "udid", "idfa", "idfv", "identifierforvendor", "vendorid", "vendoridentifier",
        "advertisingid", "advertisingidentifier", "deviceverification", "deviceverificationnonce",
    ]

    /// Whether the value of a member of this name is masked.
    static func isPrivate(_ name: String) -> Bool {
        if SecretName.isSecret(name) { return true }
        guard name.utf8.count <= 40 else { return false }
        return deviceNames.contains(name.lowercased().filter { $0 != "_" && $0 != "-" })
    }

    /// Beginnings, in lower case, of names behind which a text may hold the identifier of a device.
    private static let mentions = [
        "unique_identifier", "unique-identifier", "unique_vendor", "unique-vendor", "device_id",
        "deviceid", "device-id", "device_guid", "guid", "udid", "vendor_id", "identifierforvendor", "idfa", "idfv",
        "deviceverification",
    ].map { Array($0.utf8) }

    /// The most bytes between such a beginning and the assignment: the rest of the name, quotes and spaces.
    private static let reach = 32

    /// Whether a text has the name of a private value with `=`, `:` or a closing tag behind it, and so perhaps the
    /// value, or a secret that rejects mask.
    static func isMentioned(in text: some Collection<UInt8>) -> Bool {
        if !Redaction.ranges(in: Array(text).span.bytes).isEmpty { return true }
        let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        func isAssigned(_ end: Int) -> Bool {
            lower[end...].prefix(reach).first { !isNamePart($0) }.map(isAssignment) ?? false
        }
        return SecretName.ends(in: lower).contains(where: isAssigned)
            || lower.indices.contains { start in
                mentions.contains { name in
                    name[0] == lower[start] && lower[start...].starts(with: name) && isAssigned(start + name.count)
                }
            }
    }

    /// So many digits of base64 in a row may encode a private value: an identifier of a device takes 40.
    static let runLimit = 40
    /// So many digits are longer than any id, token or name: a document or a piece of one.
    static let blobLimit = 120

    /// Whether a text has `limit` digits of base64 in a row, and so may hold an encoded value.
    static func isOpaque(_ text: [UInt8], limit: Int = runLimit) -> Bool {
        var run = 0
        for byte in text {
            run = isDigit(byte) ? run + 1 : 0
            if run >= limit { return true }
        }
        return false
    }

    /// Whether the byte at an index is in a row of at least ``runLimit`` digits of base64.
    static func isInRun(_ text: [UInt8], _ index: Int) -> Bool {
        guard isDigit(text[index]) else { return false }
        let before = text[max(0, index - runLimit)..<index].reversed().prefix(while: isDigit).count
        let behind = text[index..<min(text.count, index + runLimit)].prefix(while: isDigit).count
        return before + behind >= runLimit
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2B, 0x2F, 0x2D, 0x5F: true
        default: false
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D, 0x20, 0x09, 0x22, 0x27, 0x5C: true
        default: false
        }
    }

    /// `=`, `:`, the `<` of a closing tag, or the `%` of one of them in percent-encoding.
    private static func isAssignment(_ byte: UInt8) -> Bool { [0x3D, 0x3A, 0x3C, 0x25].contains(byte) }
}
