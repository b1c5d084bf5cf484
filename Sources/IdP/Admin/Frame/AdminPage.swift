import SSOWeb

/// What the one template of all admin pages shows: a heading, and blocks below it.
struct AdminPage: Encodable, Sendable {
    struct Link: Encodable, Sendable {
        let href, labelHTML: String
        var isCurrent = false
    }

    struct Problem: Encodable, Sendable {
        let href, textHTML: String
    }

    var title: String
    var titleHTML: String
    var nav: [Link] = []
    var stylesheet = ""
    var copyScript = ""
    var formToken = ""
    var noticeHTML = ""
    var alertHTML = ""
    var problems: [Problem] = []
    var blocks: [Block] = []
    private var hasNotice = false
    private var hasAlert = false
    private var hasProblems = false

    init(title: String, titleHTML: String, _ blocks: [Block] = []) {
        (self.title, self.titleHTML, self.blocks) = (title, titleHTML, blocks)
    }

    /// The same, as the template needs it.
    var shown: AdminPage {
        var page = self
        (page.hasNotice, page.hasAlert) = (!noticeHTML.isEmpty, !alertHTML.isEmpty)
        page.hasProblems = !problems.isEmpty
        return page
    }

    /// One block. What is nil is left out.
    struct Block: Encodable, Sendable {
        var heading: Heading?
        var paragraphs: [Paragraph] = []
        var facts: Facts?
        var table: Table?
        var filter: Filter?
        var form: Form?
        var actions: Actions?
        var code: Code?
        var list: List?
    }

    struct Heading: Encodable, Sendable { let headingHTML: String }
    struct Paragraph: Encodable, Sendable { let paragraphHTML: String }

    /// Names with values.
    struct Facts: Encodable, Sendable { let rows: [Fact] }
    struct Fact: Encodable, Sendable {
        let name: String
        let cells: [Cell]
    }

    struct Cell: Encodable, Sendable {
        var label = ""
        var valueHTML = ""
        var href = ""
        var time: Moment?
        /// Several of them, below one another.
        var links: [Link] = []
        var isLink = false
        var isText = false
        var isHead = false
        /// Whether it has a word that no column of a table is wide enough for.
        var isLong = false
        /// Whether it says that there is nothing, which narrow screens leave out of tables.
        var isNone = false
        /// An address with the part that differs from a registered one.
        var same = ""
        var differs = ""
        var rest = ""
        var isMarked = false
    }

    struct Column: Encodable, Sendable {
        let label: String
        var href = ""
        /// `ascending`, `descending`, or empty for a column that the rows are not sorted by.
        var sort = ""
        var isLink = false
        var isSorted = false
    }

    struct Row: Encodable, Sendable { let cells: [Cell] }

    struct Table: Encodable, Sendable {
        let caption: String
        let columns: [Column]
        let rows: [Row]
        var emptyHTML = ""
        var next = ""
        var hasNext = false
        var isEmpty = false
    }

    /// A form by GET, whose address can be bookmarked.
    struct Filter: Encodable, Sendable {
        let action: String
        let fields: [Field]
        let submit: String
        var label = ""
    }

    struct Form: Encodable, Sendable {
        let action: String
        let fields: [Field]
        let hidden: [Hidden]
        let submitHTML: String
        let cancel: String
        var isDangerous = false
        /// Whether nothing brings it back.
        var isFinal = false
    }

    struct Hidden: Encodable, Sendable { let hiddenName, hiddenValue: String }

    struct Option: Encodable, Sendable {
        let optionValue, optionLabel: String
        var isSelected = false
    }

    struct Field: Encodable, Sendable {
        let name, fieldLabelHTML: String
        var value = ""
        var type = "text"
        var hintHTML = ""
        var errorHTML = ""
        var options: [Option] = []
        var hasHint = false
        var hasError = false
        var isInput = false
        var isArea = false
        var isSelect = false
        var isRequired = false
        var describedBy = ""
        var isDescribed = false
    }

    struct Actions: Encodable, Sendable { let links: [Link] }

    /// Lines to copy. Shown once where they hold a secret.
    struct Code: Encodable, Sendable {
        let codeLabel, text: String
    }

    struct List: Encodable, Sendable { let items: [Item] }
    struct Item: Encodable, Sendable { let itemHTML: String }
}
