import Testing
import TillCore

@Suite("Finding a place by halving")
struct PartitioningTests {
    @Test("Every place is found among any number of elements")
    func findsPlaces() {
        for count in 0..<70 {
            let elements = Array(0..<count)
            for place in 0...count { #expect(elements.partitioningIndex { $0 >= place } == place) }
            #expect(elements.dropFirst(2).partitioningIndex { _ in false } == elements.dropFirst(2).endIndex)
        }
    }
}
