public import TillCore
public import TillPricing

/// Files that describe products: Xcode's `.storekit` configuration (JSON) and Transporter's `metadata.xml`.
public enum CatalogueFile {
    /// The largest file that is read, 64 MiB.
    public static let maximumByteCount = 64 << 20

    /// The kind of a file, detected from its first character.
    public enum Kind: Sendable {
        case storeKit
        case transporter
    }

    /// The kind of a file; `nil` for any other file, such as a price list.
    public static func kind(of bytes: [UInt8]) -> Kind? {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return switch bytes[start...].first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "{"): .storeKit
        case UInt8(ascii: "<"): .transporter
        default: nil
        }
    }

    /// Adds the products of a file; throws all defects of the file.
    public static func read(
        _ bytes: [UInt8],
        name: String,
        into catalogue: inout Catalogue
    ) throws(FileFindings) {
        guard bytes.count <= maximumByteCount else {
            let message = "a catalogue has at most \(maximumByteCount) bytes"
            throw FileFindings(name, [.init("catalogue.too-large", message)])
        }
        let products: [(productID: String, entry: Catalogue.Entry)]
        switch kind(of: bytes) {
        case .storeKit:
            products = try StoreKitConfiguration(bytes, name: name).products.map { ($0.productID, $0.entry) }
        case .transporter:
            products = try TransporterMetadata(bytes, name: name).products.map { ($0.productID, $0.entry) }
        case nil:
            let message = "it is neither a .storekit configuration nor Transporter's metadata.xml"
            throw FileFindings(name, [.init("catalogue.kind", message)])
        }
        var problems: [Finding] = []
        for product in products {
            do throws(Finding) {
                try catalogue.add(product.entry, for: product.productID)
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else { throw FileFindings(name, problems) }
    }
}
