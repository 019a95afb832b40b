/// Dates of receipts read character by character, with the days of a year counted from a table of years.
enum PlainDate {
    /// Days from 1970-01-01 to the first of January of each year from 0 to 9999.
    private static let firstDays: [Int] = {
        var days = [0]
        for year in 0..<9999 { days.append(days[year] + (isLeap(year) ? 366 : 365)) }
        return days.map { $0 - days[1970] }
    }()

    private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Milliseconds since 1970, or `nil` where the text is no date of the grammar of `Timestamp.parse`.
    static func parse(_ text: [UInt8]) -> Int64? {
        var index = 0
        func number(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard index < text.count, text[index] >= 0x30, text[index] <= 0x39 else { return nil }
                value = value * 10 + Int(text[index]) - 0x30
                index += 1
            }
            return value
        }
        func take(_ characters: String) -> Bool {
            guard index < text.count, characters.utf8.contains(text[index]) else { return false }
            index += 1
            return true
        }
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt "),
            let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
            month >= 1, month <= 12, day >= 1, day <= lengths[month - 1] + (month == 2 && isLeap(year) ? 1 : 0),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        var thousandths = 0
        if take(".") {
            var digits = 0
            while let digit = number(1) {
                if digits < 3 { thousandths = thousandths * 10 + digit }
                digits += 1
            }
            guard digits > 0 else { return nil }
            while digits < 3 {
                thousandths *= 10
                digits += 1
            }
        }
        var offset = 0
        if take("Zz") {
        } else if index < text.count, text[index] == 0x2B || text[index] == 0x2D {
            let isWest = text[index] == 0x2D
            index += 1
            guard let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours <= 23, minutes <= 59 else { return nil }
            offset = (isWest ? -1 : 1) * (hours * 60 + minutes)
        } else {
            let rest = text[index...]
            guard
                rest.elementsEqual(" Etc/GMT".utf8) || rest.elementsEqual(" GMT".utf8)
                    || rest.elementsEqual(" UTC".utf8)
            else {
                return nil
            }
            index = text.count
        }
        guard index == text.count else { return nil }
        var days = firstDays[year] + day - 1
        for earlier in 1..<13 where earlier < month {
            days += lengths[earlier - 1] + (earlier == 2 && isLeap(year) ? 1 : 0)
        }
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        return Int64(seconds * 1000 + thousandths)
    }
}
