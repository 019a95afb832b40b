/// Shared values of transactions, each of them once and with a number.
package struct SharedValueTable: Sendable {
    /// By number. Number 0 has nothing that is known.
    private(set) var values = [SharedValues()]
    private var numbers: [SharedValues: UInt32] = [SharedValues(): 0]
    /// The number that was asked for last, since neighbouring rows are often alike.
    private var last: UInt32 = 0

    /// The number of shared values, which are added if they are new.
    mutating func number(of shared: SharedValues) -> UInt32 {
        if values[Int(last)] == shared { return last }
        last = numbers[shared] ?? UInt32(values.count)
        if last == values.count {
            values.append(shared)
            numbers[shared] = last
        }
        return last
    }

    /// Frees the memory of the numbers, after the last row.
    mutating func dropNumbers() { numbers = [:] }
}
