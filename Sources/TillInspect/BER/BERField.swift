/// A line of a table: one field of an ASN.1 type, with its name in the tree and the way its value is shown.
///
/// ``BERWalk`` reads the elements and looks them up here, so a field that is to be named needs a line here and no code.
struct BERField: Sendable {
    enum Shape: Sendable {
        /// A value of a plain type, read by its tag; an object identifier has its name as meaning.
        case value
        /// The same, without the name of an object identifier.
        case plainValue
        /// The bytes.
        case octets
        /// The bytes, which must not be cut off.
        case signature
        /// An AlgorithmIdentifier (RFC 5280 §4.1.1.2); its parameters are left out.
        case algorithm
        /// A Name (RFC 5280 §4.1.2.4).
        case distinguishedName
        /// A Time (RFC 5280 §4.1.2.5).
        case time
        /// A SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
        case publicKey
        /// An Extension of a certificate (RFC 5280 §4.2), named by its object identifier.
        case certificateExtension
        /// A certificate, which ``CertificateDescriber`` shows.
        case certificate
        /// The OCTET STRING around the attributes of a receipt.
        case payload
        /// An attribute of a receipt or of a purchase, named by `ReceiptAttribute`.
        case attribute
        /// An element with a known type and no known name.
        case element
        /// Any number of such elements.
        case elements
        /// The fields of a SEQUENCE or SET. An error in one of them ends the type around it.
        case fields([BERField])
        /// The same, but an error ends only this field, and the walk continues behind it.
        case part([BERField])
        /// Fields that are shown as fields of the type around them.
        case inline([BERField])
        /// The first of these that has the tag of the element.
        case choice([BERField])
        /// Not shown.
        case hidden
    }

    enum Occurrence: Sendable {
        case once
        /// May be absent where a field with another tag follows. `absent` is the meaning of the node that then replaces
        /// it; `nil` adds no node.
        case optional(absent: String? = nil)
        /// To the end of the contents. `leftOut` names the elements for which the limit of nodes has no room; `nil`
        /// leaves them out without a note.
        case repeated(leftOut: String? = nil)
    }

    /// The identifier octet (X.690 §8.1.2); `nil` takes any.
    let tag: UInt8?
    let name: String
    let shape: Shape
    let occurrence: Occurrence

    init(_ tag: UInt8?, _ name: String, _ shape: Shape, _ occurrence: Occurrence = .once) {
        self.tag = tag
        self.name = name
        self.shape = shape
        self.occurrence = occurrence
    }

    /// A field that gets its name elsewhere, or none.
    init(_ tag: UInt8?, _ shape: Shape, _ occurrence: Occurrence = .once) {
        self.init(tag, "", shape, occurrence)
    }

    func takes(_ tag: UInt8) -> Bool { self.tag == nil || self.tag == tag }

    /// Elements with known types and no known names.
    static let elements = [BERField(nil, .element, .repeated(leftOut: "more elements"))]
}
