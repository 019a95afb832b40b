import TillReportModel

extension ReportDocument {
    /// The document with the name of each product beside its id, where names are known.
    func namingProducts() -> ReportDocument {
        var document = self
        document.children = children.map { $0.namingProducts() }
        guard !productNames.isEmpty else { return document }
        let names = productNames
        document.sections = sections.map { section in
            section.namingProducts(by: names).mappingCharts { $0.namingProducts(by: names) }
        }
        return document
    }
}

extension Chart {
    /// The chart with names in place of ids. No two products have the same name.
    fileprivate func namingProducts(by names: [String: String]) -> Chart {
        func named(_ id: String) -> String { names[id] ?? id }
        var chart = self
        chart.categories = categories.map { if case .text(let text) = $0 { .text(named(text)) } else { $0 } }
        for index in chart.series.indices {
            chart.series[index].title = named(series[index].title)
            for part in chart.series[index].parts.indices {
                chart.series[index].parts[part].title = named(series[index].parts[part].title)
            }
        }
        return chart
    }
}

extension Section {
    /// The section with a column of names before that of the ids; unchanged if none of its products has a name.
    ///
    /// A product without a name has its id in both columns. A cell that is not a product, such as a title of sums, is a
    /// word and not a text (``Cell``); it is in the column of names.
    func namingProducts(by names: [String: String]) -> Section {
        guard let place = columns.firstIndex(where: { $0.name == Column.productID }) else { return self }
        func name(of cell: Cell?) -> String? {
            guard case .text(let productID)? = cell else { return nil }
            return names[productID]
        }
        let rows = rows
        guard rows.indices.contains(where: { name(of: rows.cell(at: place, of: $0)) != nil }) else { return self }

        var section = self
        section.columns[place].isSecondary = true
        section.columns[place].title = "Product id"
        let column = columns[place]
        section.columns.insert(
            Column("product_name", column.title, isKey: column.isKey, isMain: column.isMain),
            at: place
        )
        if case .perCurrency(let column) = totals, column >= place { section.totals = .perCurrency(column: column + 1) }
        if let ranking = rankingColumn, ranking >= place { section.rankingColumn = ranking + 1 }
        func named(_ row: [Cell]) -> [Cell] {
            guard row.indices.contains(place) else { return row }
            var row = row
            row.insert(name(of: row[place]).map { .text($0) } ?? row[place], at: place)
            if case .word = row[place] { row[place + 1] = .text("") }
            return row
        }
        switch content {
        case .record(let cells): section.content = .record(named(cells))
        case .table(let rows): section.content = .table(rows.lazy.map(named))
        }
        return section
    }
}
