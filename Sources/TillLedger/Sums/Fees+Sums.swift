extension SettledTransaction.Fees {
    /// Passes fees to a coder; `nil` means unknown fees. A reader replaces them.
    public static func visit(_ fees: inout Self?, _ coder: inout some SumCoder) throws {
        var includedTax = fees?.includedTax
        try coder.value(&includedTax)
        guard let includedTax else {
            fees = nil
            return
        }
        var commission = fees?.commission ?? 0
        try coder.value(&commission)
        // A share in a price list has six decimals, and no tax is a thousand times the price.
        guard 0...largestTax ~= includedTax, 0...1_000_000 ~= commission else {
            throw coder.refusal("a tax of \(includedTax) or a commission of \(commission) millionths")
        }
        fees = SettledTransaction.Fees(includedTax: includedTax, commission: commission)
    }

    private static let largestTax: Int64 = 1_000_000_000
}
