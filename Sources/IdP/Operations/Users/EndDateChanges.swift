package import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
package import SSOWeb
package import Storage

/// Sets from which moment on an account may not sign in.
package struct SetEndDate: OperatorChange {
    private let address: String
    private let end: Timestamp?

    /// - Parameter end: nil for never.
    package init(_ address: String, to end: Timestamp?) { (self.address, self.end) = (address, end) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.keptAccount(address, connection)
        guard account.endsAt != end else { return account.unchanged }
        if let end, end <= context.now {
            throw ChangeError(
                "\(EndDate.text(end)) is in the past. To keep the user out now: idp user disable \(address)")
        }
        try context.setEnd(end, of: account, connection)
        try context.note(.endDate, account, detail: end.map(EndDate.text) ?? "never", connection)
        return try account.changed(connection)
    }
}

/// Ends the sign-ins of an account whose end date is over. They hold no more from that moment on by themselves: this is for what
/// must be told or forgotten.
struct EndOverdueUser: OperatorChange {
    let id: String

    func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account?> {
        guard let account = try AccountStore.find(id, connection), try context.endOverdue(account, connection) else {
            return Changed(nil, isChanged: false)
        }
        return Changed(account, isChanged: true)
    }
}

extension ChangeContext {
    /// Sets from which moment on an account may not sign in. What the date of before has ended stays ended, also where the job has
    /// not come to it yet: a later date would give the sign-ins back, and no client would have been told.
    func setEnd(_ end: Timestamp?, of account: Account, _ connection: any SQLConnection) throws {
        _ = try endOverdue(account, connection)
        try AccountStore.set(endsAt: end, account.id, connection)
    }

    /// - Returns: whether the end date of the account is over, and its sign-ins were not ended for that before.
    fileprivate func endOverdue(_ account: Account, _ connection: any SQLConnection) throws -> Bool {
        guard try AccountStore.takeOverdue(account.id, at: now, connection) else { return false }
        try endSignIns(of: account, .endDate, connection)
        try note(.endDateOver, account, connection)
        return true
    }
}

/// Owns the form of end dates: `2027-01-31` holds to the end of that day in UTC.
package enum EndDate {
    /// The first moment after the day; nil for anything but a day from 1970 to 9999.
    package static func read(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            year >= 1970, (1...12).contains(month), (1...days(in: month, of: year)).contains(day)
        else { return nil }
        return Timestamp(milliseconds: Int64(daysSince1970(year, month, day) + 1) * Duration.days(1).milliseconds)
    }

    /// The last day on which the account may sign in.
    package static func text(_ end: Timestamp) -> String {
        String(PlainDate.rfc3339(end - .milliseconds(1)).prefix(10))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(in month: Int, of year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let before = year - 1
        let years = (year - 1970) * 365 + (before / 4 - before / 100 + before / 400) - 477
        return (1..<month).reduce(years) { $0 + days(in: $1, of: year) } + day - 1
    }
}
