extension CoverageCounts: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        for count in Self.counts { try coder.add(&self[keyPath: count]) }
        var units = Int64(clamping: units)
        try coder.add(&units)
        guard units >= 0 else { throw coder.refusal("\(units) units") }
        self.units = UInt64(units)
    }
}
