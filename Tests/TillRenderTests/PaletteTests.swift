import Testing

@testable import TillRender

/// The colours of series, as people with the three usual kinds of sight see them.
///
/// Red and green blindness are simulated in linear light with the matrices of Machado, Oliveira and Fernandes (2009)
/// for a severity of 1. Distances are those of CIELAB (1976), of which 2.3 is just noticeable.
@Suite("The colours of charts")
struct PaletteTests {
    private typealias Vector = [Double]

    private static let sights: [(name: String, matrix: [Vector])] = [
        ("usual", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        (
            "without red",
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
        ),
        (
            "without green",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
        ),
    ]

    /// The variables of the page for light, dark and print, in this order: `--s1` → `0d69b5`.
    private static let themes: [[String: UInt32]] = {
        HTMLPolicy.style.description.split(separator: ":root{", omittingEmptySubsequences: false).dropFirst().map {
            text in
            let variables = text.prefix { $0 != "}" }.matches(of: /--(\w+):#([0-9a-f]{3,6})/)
            return Dictionary(
                variables.map { match in
                    let digits = String(match.2)
                    let full = digits.utf8.count == 3 ? digits.map { "\($0)\($0)" }.joined() : digits
                    return (String(match.1), UInt32(full, radix: 16) ?? 0)
                }
            ) { $1 }
        }
    }()

    private static func linear(_ color: UInt32) -> Vector {
        [16, 8, 0].map { shift in
            let value = Double(color >> shift & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4)
        }
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double {
        // Exact enough for colours: 2.4 and 1/3 by Newton's method on integer powers.
        func root(_ value: Double, _ degree: Int) -> Double {
            guard value > 0 else { return 0 }
            var guess = 1.0
            for _ in 0..<200 {
                let lower = (0..<degree - 1).reduce(1.0) { result, _ in result * guess }
                guess = (Double(degree - 1) * guess + value / lower) / Double(degree)
            }
            return guess
        }
        if exponent == 2.4 {
            let fifth = root(base, 5)
            return (0..<12).reduce(1.0) { result, _ in result * fifth }
        }
        return root(base, 3)
    }

    private static func luminance(_ color: Vector) -> Double {
        0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
    }

    private static func contrast(_ one: UInt32, _ other: UInt32) -> Double {
        let values = [luminance(linear(one)), luminance(linear(other))].sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    private static func lab(_ color: Vector) -> Vector {
        let xyz = [
            [0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505],
        ].map { row in zip(row, color).reduce(0) { $0 + $1.0 * $1.1 } }
        let scaled = zip(xyz, [0.95047, 1, 1.08883]).map { $0 / $1 }
        let f = scaled.map { $0 > 0.008856 ? power($0, 1 / 3.0) : 7.787 * $0 + 16 / 116 }
        return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }

    private static func seen(_ color: UInt32, _ matrix: [Vector]) -> Vector {
        let light = linear(color)
        return lab(matrix.map { row in min(1, max(0, zip(row, light).reduce(0) { $0 + $1.0 * $1.1 })) })
    }

    @Test(
        "Series stand out from the paper, and the five first and the rest from each other for everybody",
        arguments: 0..<3
    )
    func tellsApart(_ theme: Int) throws {
        let colors = Self.themes[theme]
        let paper = try #require(colors["paper"])
        let series = try ["s1", "s2", "s3", "s4", "s5", "s8"].map { try #require(colors[$0]) }
        for color in try series + ["s6", "s7"].map({ try #require(colors[$0]) }) {
            // WCAG 2.1, 1.4.11: graphics need a contrast of 3.
            #expect(Self.contrast(color, paper) >= 3)
        }
        for (name, matrix) in Self.sights {
            let labs = series.map { Self.seen($0, matrix) }
            for (index, one) in labs.enumerated() {
                for other in labs.dropFirst(index + 1) {
                    let square = zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
                    #expect(square >= 15 * 15, "\(name): s\(index + 1)")
                }
            }
        }
    }

    @Test("The arithmetic of colours is right for known ones")
    func computes() {
        #expect(abs(Self.contrast(0x000000, 0xFFFFFF) - 21) < 0.001)
        // #777777 on white is 4.48.
        #expect(abs(Self.contrast(0x777777, 0xFFFFFF) - 4.48) < 0.01)
        let red = Self.seen(0xFF0000, Self.sights[0].matrix)
        #expect(abs(red[0] - 53.24) < 0.1 && abs(red[1] - 80.1) < 0.2 && abs(red[2] - 67.2) < 0.2)
    }
}
