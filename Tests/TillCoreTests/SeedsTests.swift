import Testing
import TillTestSupport

@Suite("Seeds of a run")
struct SeedsTests {
    private static let trees = (0..<64).map { "4b825dc642cb6eb9a060e54bf8d69288fbee49\($0 + 10)" }

    @Test("Every run has the first seeds of a range, and one of the others that its tree draws")
    func drawsOne() {
        #expect(Seeds().some(of: UInt64(1)...150) == [1, 2, 3, 4])
        #expect(Seeds().some(of: 0..<3) == [0, 1, 2])
        #expect(Seeds(takesAll: true, tree: "4b825dc6").some(of: UInt64(1)...150) == Array(1...150))
        for tree in Self.trees {
            let seeds = Seeds(tree: tree).some(of: UInt64(1)...150)
            #expect(seeds.count == 5 && seeds.prefix(4) == [1, 2, 3, 4], "\(tree)")
            #expect((5...150).contains(seeds[4]), "\(tree)")
            #expect(seeds == Seeds(tree: tree).some(of: UInt64(1)...150), "\(tree)")
            #expect(Seeds(tree: tree).some(of: 1...5) == [1, 2, 3, 4, 5], "\(tree)")
            #expect(Seeds(tree: tree).some(of: 1...42, fixed: 7).prefix(7) == [1, 2, 3, 4, 5, 6, 7], "\(tree)")
        }
    }

    @Test("Trees and ranges draw different seeds")
    func drawsApart() {
        #expect(Set(Self.trees.map { Seeds(tree: $0).some(of: 1...1000)[4] }).count > 50)
        let places = (100...200).map { Seeds(tree: Self.trees[0]).some(of: 1...$0)[4] }
        #expect(Set(places).count > 50)
    }
}
