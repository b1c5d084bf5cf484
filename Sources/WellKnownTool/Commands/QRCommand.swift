import ArgumentParser
import WellKnown

struct QRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr", abstract: "Print a link as a QR code, to open it on a phone.",
        discussion: """
            A universal link opens the app when it is scanned with the phone's camera, but not when it is typed into the \
            browser. On a terminal the code is black on white, whatever the colours of the terminal. In a pipe it has no \
            colours, and its dark parts are characters.

            Example: wellknown qr 'https://example.com/shop/1?ref=x'

            Exit codes: 0 printed; 64 not an http or https link, or longer than \(QRCode.maximumBytes) bytes.
            """)

    @Argument(help: ArgumentHelp("The link, as a browser would send it.", valueName: "url")) var url: String

    func validate() throws { _ = try code() }

    func run() throws { StandardOutput.write(try code().terminalText(hasColour: TextStyle.isTerminal)) }

    private func code() throws -> QRCode {
        let link: LinkURL
        do throws(LinkURL.ParseError) { link = try LinkURL(reading: url) } catch {
            throw ValidationError("'\(url.printable)' is not a link: \(error.rawValue).")
        }
        guard let code = QRCode(link.description) else {
            throw ValidationError("The link is too long: a QR code holds at most \(QRCode.maximumBytes) bytes.")
        }
        return code
    }
}
