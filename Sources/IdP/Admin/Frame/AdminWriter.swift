import SSOShared
import SSOWeb

/// Makes the parts of admin pages in the language of their reader. Whatever comes from outside is escaped, in a `<bdi>`, and cut.
struct AdminWriter: Sendable {
    /// Values from outside are cut at so many characters.
    static let longest = 200

    let texts: Texts
    let now: Timestamp

    static func cut(_ text: String) -> String {
        let shown = String(text.unicodeScalars.filter { !$0.properties.isControl }.prefix(longest).map(Character.init))
        return shown.utf8.elementsEqual(text.utf8) ? text : shown + "…"
    }

    func html(_ text: Text) -> String { texts.html(text) }
    func plain(_ text: Text) -> String { texts.plain(text) }

    /// Leads to its field, and to the page where no field has the name.
    func problem(_ problem: (field: String, text: Text), at fields: [String]) -> AdminPage.Problem {
        let href = fields.contains(problem.field) ? "field-\(problem.field)" : "content"
        return AdminPage.Problem(href: href, textHTML: html(problem.text))
    }

    /// A value from outside, in a `<bdi>`. A masked address (`a…@example.com`) stays in one line: U+2060 joins its parts.
    func valueHTML(_ value: String) -> String {
        texts.html(Text("admin.value", ["value": Self.cut(value).replacing("…@", with: "…\u{2060}@")]))
    }

    // MARK: Cells

    func cell(_ value: String?) -> AdminPage.Cell {
        guard let value, !value.isEmpty else { return none }
        return AdminPage.Cell(valueHTML: valueHTML(value), isText: true, isLong: Self.isLong(value))
    }

    var none: AdminPage.Cell { AdminPage.Cell(valueHTML: html(Text("admin.none")), isText: true, isNone: true) }

    /// A sentence of the documents, in English, whose code stands between backticks.
    func sentence(_ words: String) -> AdminPage.Cell {
        let parts = valueHTML(words).split(separator: "`", omittingEmptySubsequences: false)
        let html = parts.enumerated().map {
            $0.offset.isMultiple(of: 2) ? String($0.element) : "<code>\($0.element)</code>"
        }
        let sentence = parts.count.isMultiple(of: 2) ? valueHTML(words) : html.joined()
        return AdminPage.Cell(
            valueHTML: "<span lang=\"en\">\(sentence)</span>", isText: true, isLong: Self.isLong(words))
    }

    /// An id of ours, such as `request_refused`. It may go on in the next line after an underscore.
    func id(_ value: String?) -> AdminPage.Cell {
        guard let value, !value.isEmpty else { return none }
        return AdminPage.Cell(
            valueHTML: valueHTML(value).replacing("_", with: "_<wbr>"), isText: true,
            isLong: Self.isLong(value.replacing("_", with: "-")))
    }

    private static func isLong(_ value: String) -> Bool {
        value.split { $0.isWhitespace || $0 == "-" }.contains { $0.count > 20 }
    }

    func cell(_ text: Text) -> AdminPage.Cell {
        AdminPage.Cell(valueHTML: html(text), isText: true, isLong: Self.isLong(plain(text)))
    }

    func cell(_ moment: Timestamp?) -> AdminPage.Cell {
        guard let moment else { return AdminPage.Cell(valueHTML: html(Text("admin.never")), isText: true) }
        return AdminPage.Cell(time: texts.moment(moment, now: now))
    }

    /// - Parameter href: a path of ours, or a registered https address.
    func link(_ value: String, _ href: String) -> AdminPage.Cell {
        AdminPage.Cell(valueHTML: valueHTML(value), href: href, isLink: true, isLong: Self.isLong(value))
    }

    func link(_ text: Text, _ href: String) -> AdminPage.Cell {
        AdminPage.Cell(valueHTML: html(text), href: href, isLink: true, isLong: Self.isLong(plain(text)))
    }

    func links(_ links: [(Text, String)]) -> AdminPage.Cell {
        AdminPage.Cell(links: links.map { .init(href: $0.1, labelHTML: html($0.0)) })
    }

    /// An address, with what differs from another one marked.
    func marked(_ address: String, from other: String?) -> AdminPage.Cell {
        let (own, known) = (Array(Self.cut(address)), Array(other.map(Self.cut) ?? ""))
        let start = zip(own, known).prefix { $0 == $1 }.count
        let end = zip(own.dropFirst(start).reversed(), known.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        var cell = AdminPage.Cell(isLong: true, isMarked: true)
        cell.same = String(own.prefix(start))
        cell.differs = String(own[start..<(own.count - end)])
        cell.rest = String(own.suffix(end))
        return cell
    }

    // MARK: Blocks

    /// - Parameter problems: with fields of the page's filter.
    func page(_ title: Text, _ blocks: [AdminPage.Block], problems: AdminProblems? = nil) -> AdminPage {
        var page = AdminPage(title: plain(title), titleHTML: html(title), blocks)
        page.problems = problems?.all.map { .init(href: "filter-\($0.field)", textHTML: html($0.text)) } ?? []
        return page
    }

    func heading(_ text: Text) -> AdminPage.Block { AdminPage.Block(heading: .init(headingHTML: html(text))) }

    func paragraph(_ text: Text) -> AdminPage.Block {
        AdminPage.Block(paragraphs: [.init(paragraphHTML: html(text))])
    }

    func facts(_ rows: [(Text, [AdminPage.Cell])]) -> AdminPage.Block {
        AdminPage.Block(
            facts: .init(
                rows: rows.map { .init(name: plain($0.0), cells: $0.1.isEmpty ? [cell(nil as String?)] : $0.1) }))
    }

    func list(_ items: [Text]) -> AdminPage.Block {
        AdminPage.Block(list: .init(items: items.map { .init(itemHTML: html($0)) }))
    }

    func actions(_ links: [(Text, String)]) -> AdminPage.Block {
        AdminPage.Block(actions: .init(links: links.map { .init(href: $0.1, labelHTML: html($0.0)) }))
    }

    func code(_ label: Text, _ text: String) -> AdminPage.Block {
        AdminPage.Block(code: .init(codeLabel: plain(label), text: text))
    }

    /// - Parameters:
    ///   - columns: the first names the row.
    ///   - empty: what stands in the place of a table without rows.
    ///   - next: the address of the next page.
    func table(
        _ caption: Text, _ columns: [AdminPage.Column], _ rows: [[AdminPage.Cell]], empty: Text, next: String? = nil
    ) -> AdminPage.Block {
        let shown = rows.map { cells in
            AdminPage.Row(
                cells: cells.enumerated().map { index, cell in
                    var cell = cell
                    cell.label = columns.indices.contains(index) ? columns[index].label : ""
                    cell.isHead = index == 0
                    return cell
                })
        }
        return AdminPage.Block(
            table: .init(
                caption: plain(caption), columns: columns, rows: shown, emptyHTML: html(empty), next: next ?? "",
                hasNext: next != nil, isEmpty: rows.isEmpty))
    }

    func column(_ label: Text, sorted href: String? = nil, _ sort: String = "") -> AdminPage.Column {
        .init(label: plain(label), href: href ?? "", sort: sort, isLink: href != nil, isSorted: !sort.isEmpty)
    }

    func field(_ field: AdminField, _ value: String, error: Text? = nil) -> AdminPage.Field {
        var shown = AdminPage.Field(name: field.name, fieldLabelHTML: html(field.label), value: value)
        shown.type = field.type
        (shown.hintHTML, shown.hasHint) = (field.hint.map(html) ?? "", field.hint != nil)
        (shown.errorHTML, shown.hasError) = (error.map(html) ?? "", error != nil)
        shown.options = field.options.map {
            .init(optionValue: $0.value, optionLabel: plain($0.label), isSelected: $0.value == value)
        }
        shown.isSelect = !field.options.isEmpty
        shown.isArea = field.isArea
        shown.isInput = !shown.isSelect && !shown.isArea
        shown.isRequired = field.isRequired
        shown.describedBy = [
            error == nil ? nil : "error-\(field.name)", field.hint == nil ? nil : "hint-\(field.name)",
        ].compactMap(\.self).joined(separator: " ")
        shown.isDescribed = !shown.describedBy.isEmpty
        return shown
    }

    func filter(
        _ action: String, _ fields: [(AdminField, String)], _ problems: AdminProblems? = nil
    ) -> AdminPage.Block {
        AdminPage.Block(
            filter: .init(
                action: action,
                fields: fields.map { field, value in
                    self.field(field, value, error: problems?.all.first { $0.field == field.name }?.text)
                },
                submit: plain(Text("admin.filter.submit")),
                label: plain(Text("admin.filter.label"))))
    }
}

/// A field of a form or filter.
struct AdminField: Sendable {
    let name: String
    let label: Text
    var hint: Text?
    var type = "text"
    var options: [(value: String, label: Text)] = []
    var isArea = false
    var isRequired = false
    /// What stands in it at first.
    var value = ""

    init(
        _ name: String, _ label: Text, hint: Text? = nil, type: String = "text",
        options: [(value: String, label: Text)] = [], isArea: Bool = false, isRequired: Bool = false,
        value: String = ""
    ) {
        (self.name, self.label, self.hint, self.type) = (name, label, hint, type)
        (self.options, self.isArea, self.isRequired, self.value) = (options, isArea, isRequired, value)
    }
}

extension Unicode.Scalar.Properties {
    /// Also those that reorder the text around them.
    fileprivate var isControl: Bool {
        generalCategory == .control || generalCategory == .format || generalCategory == .lineSeparator
            || generalCategory == .paragraphSeparator
    }
}
