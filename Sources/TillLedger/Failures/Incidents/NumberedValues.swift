/// Distinct values, numbered from 0 in the order in which they came first.
struct NumberedValues<Value: Hashable & Sendable>: Sendable {
    private var numbers: [Value: Int32] = [:]
    private(set) var all: [Value] = []

    /// The number of a value; a new one is added.
    mutating func number(entering value: Value) -> Int32 {
        if let number = numbers[value] { return number }
        let number = Int32(all.count)
        all.append(value)
        numbers[value] = number
        return number
    }

    /// Frees what finds a number, after the last value.
    mutating func close() { numbers = [:] }
}
