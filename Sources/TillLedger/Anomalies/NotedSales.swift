import TillColumns

/// Sales of one share of all chains, kept for the comparison with sales of other shares with the same line item or
/// account.
struct NotedSales: Sendable {
    private var texts = TextDictionary()
    private var lines: [LineItemSale] = []
    private var sales: [AccountSale] = []
    /// Fingerprints of products, the same in every share. A sale has the number of its product here, from 1.
    private var products: [UInt128] = []
    private var productNumbers: [UInt128: Int32] = [:]

    mutating func add(_ notes: SaleNotes, of part: borrowing SettledLedger) {
        for number in notes.sales {
            guard var sale = part.lineItemSale(number) else { continue }
            sale.identifier = word(of: sale.identifier, in: part.texts)
            lines.append(sale)
        }
        for bucket in part.accountBuckets(of: notes) {
            for var sale in part.accountSales(among: notes, in: bucket) {
                sale.identifier = word(of: sale.identifier, in: part.texts)
                if sale.product > 0 {
                    let name = part.texts.withBytes(of: Int(sale.product) - 1, TextDictionary.fingerprint)
                    sale.product = number(ofProduct: name)
                }
                sales.append(sale)
            }
        }
    }

    /// The word in this dictionary for an id of another dictionary.
    private mutating func word(of word: Int64, in others: borrowing TextDictionary) -> Int64 {
        guard word != TransactionEntry.unknown, let code = Identifier(word: word).code else { return word }
        return others.withBytes(of: code) { Identifier(code: texts.code(for: $0)).word }
    }

    private mutating func number(ofProduct name: UInt128) -> Int32 {
        if let number = productNumbers[name] { return number }
        products.append(name)
        productNumbers[name] = Int32(products.count)
        return Int32(products.count)
    }

    /// The sales for one of `count` further shares: all sales with the same line item, and all with the same account.
    func kept(in share: Int, of count: Int) -> NotedSales {
        var kept = self
        kept.lines.removeAll { Self.share(of: $0.item, among: count) != share }
        kept.sales.removeAll { Self.share(of: UInt128($0.account), among: count) != share }
        return kept
    }

    private static func share(of key: UInt128, among count: Int) -> Int {
        // The upper bits of the product depend on all of the key.
        let hash = UInt64(truncatingIfNeeded: key ^ key >> 64) &* 0x9E37_79B9_7F4A_7C15
        return Int(hash.multipliedFullWidth(by: UInt64(count)).high)
    }

    /// Passes all sales to `body`, and removes them.
    mutating func take(_ body: (inout [LineItemSale], inout [AccountSale], TextDictionary) -> Void) {
        body(&lines, &sales, texts)
        self = NotedSales()
    }

    // MARK: In closed partials

    /// Passes every sale to a coder. A reader adds the sales that it reads.
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        for place in 0..<(try coder.elements(lines.count)) {
            var sale = coder.isReading ? LineItemSale(item: 0, identifier: TransactionEntry.unknown) : lines[place]
            try coder.value(&sale.item)
            try visit(identifier: &sale.identifier, &coder)
            if coder.isReading { lines.append(sale) }
        }
        for place in 0..<(try coder.elements(sales.count)) {
            var sale = coder.isReading ? AccountSale(account: 0, chain: 0) : sales[place]
            try visit(&sale, &coder)
            if coder.isReading { sales.append(sale) }
        }
    }

    private mutating func visit(_ sale: inout AccountSale, _ coder: inout some SumCoder) throws {
        var account = Int64(bitPattern: sale.account)
        try coder.value(&account)
        sale.account = UInt64(bitPattern: account)
        try coder.value(&sale.chain)
        try coder.value(&sale.appTransaction)
        var product = sale.product > 0 ? products[Int(sale.product) - 1] : 0
        try coder.value(&product)
        if coder.isReading { sale.product = product == 0 ? 0 : number(ofProduct: product) }
        try coder.value(&sale.date)
        try visit(identifier: &sale.identifier, &coder)
    }

    /// An id: 0, or 1 and a number, or 2 and a text.
    private mutating func visit(identifier word: inout Int64, _ coder: inout some SumCoder) throws {
        let code = word == TransactionEntry.unknown ? nil : Identifier(word: word).code
        var kind: Int64 = word == TransactionEntry.unknown ? 0 : code == nil ? 1 : 2
        try coder.value(&kind)
        switch kind {
        case 0: word = TransactionEntry.unknown
        case 1:
            try coder.value(&word)
            guard word >= 0, word != TransactionEntry.unknown else { throw coder.refusal("\(word) is not an id") }
        case 2:
            var text = code.map { texts.text(of: $0) } ?? ""
            try coder.value(&text)
            if coder.isReading { word = Identifier(code: texts.code(for: Array(text.utf8).span.bytes)).word }
        default: throw coder.refusal("an id of the unknown kind \(kind)")
        }
    }
}
