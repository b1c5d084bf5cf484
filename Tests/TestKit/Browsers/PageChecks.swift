/// Checks of a loaded page as scripts. Each returns a list of texts: what is wrong.
enum PageChecks {
    private static let helpers = """
        const isShown = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
        const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '')
            + (e.className && e.className.baseVal === undefined ? '.' + e.className : '')
            + ' "' + e.textContent.trim().slice(0, 40) + '"';
        const shown = css => [...document.querySelectorAll(css)].filter(isShown);

        """

    /// Nothing is wider than the window (WCAG 2.2, 1.4.10 and 1.4.4).
    static let overflow =
        helpers + """
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= width) { return []; }
            const wide = shown('body *').filter(e => e.getBoundingClientRect().right > width + 1);
            return ['wider than ' + width + ' px: ' + wide.slice(0, 3).map(name).join(', ')];
            """

    /// Nothing sticks out of the card, also where the window is wide enough.
    static let card =
        helpers + """
            const edge = document.querySelector('main').getBoundingClientRect().right;
            return shown('main *:not(.digits *, .unseen, .skip)').filter(e => e.getBoundingClientRect().right > edge + 1)
                .slice(0, 3).map(e => 'out of the card by ' + Math.round(e.getBoundingClientRect().right - edge) + ' px: ' + name(e));
            """

    /// Every target is at least 24 by 24 pixels, except a link within a sentence (WCAG 2.2, 2.5.8).
    static let targets =
        helpers + """
            function isInSentence(link) {
                if (link.tagName !== 'A' || getComputedStyle(link).display !== 'inline') { return false; }
                let block = link.parentElement;
                while (getComputedStyle(block).display === 'inline') { block = block.parentElement; }
                return block.textContent.replace(/\\s+/g, '').length > link.textContent.replace(/\\s+/g, '').length;
            }
            return shown('a[href], button, input:not([type=hidden]), select, textarea, summary').filter(e => {
                const box = e.getBoundingClientRect();
                return (box.width < 24 || box.height < 24) && !isInSentence(e);
            }).map(e => {
                const box = e.getBoundingClientRect();
                return 'smaller than 24 px (' + Math.round(box.width) + ' x ' + Math.round(box.height) + '): ' + name(e);
            });
            """

    /// Language, title and errors are there for a screen reader.
    ///
    /// - Parameter language: the language of the page.
    static func structure(language: String) -> String {
        helpers + """
            const wrong = [];
            if (document.documentElement.lang !== '\(language)') { wrong.push('lang=' + document.documentElement.lang); }
            if (!/\\S.* · \\S/.test(document.title)) { wrong.push('title ' + document.title); }
            if (shown('h1').length !== 1) { wrong.push('no single h1'); }
            for (const field of shown('[aria-invalid=true]')) {
                const first = document.getElementById((field.getAttribute('aria-describedby') || '').split(' ')[0]);
                if (!first || !first.matches('[role=alert], .alert')) {
                    wrong.push('the error is not the first description of ' + name(field));
                }
                if (document.activeElement !== field && !document.activeElement.matches('[role=alert]')) {
                    wrong.push('the focus is neither in ' + name(field) + ' nor in the summary of errors');
                }
            }
            return wrong;
            """
    }

    /// Every text in a script from right to left, here names only, is isolated from the sentence around it.
    static let isolation =
        helpers + """
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const wrong = [];
            while (walker.nextNode()) {
                const text = walker.currentNode;
                if (/[\\u0590-\\u08ff]/.test(text.data) && !text.parentElement.closest('bdi, [dir=auto]')) {
                    wrong.push('not isolated: ' + name(text.parentElement));
                }
            }
            return wrong;
            """

    /// With forced colours every button and field has an edge that differs from its surface. A tick box that the browser draws has one.
    static let forcedColors =
        helpers + """
            if (!matchMedia('(forced-colors: active)').matches) { return ['colours are not forced']; }
            return shown('button, .button, input:not([type=hidden])').filter(e => {
                const style = getComputedStyle(e);
                if (e.type === 'checkbox' && style.appearance !== 'none') { return false; }
                return style.borderTopStyle === 'none' || parseFloat(style.borderTopWidth) < 1
                    || style.borderTopColor === style.backgroundColor
                    || style.borderTopColor === getComputedStyle(document.body).backgroundColor;
            }).map(e => 'without an edge in forced colours: ' + name(e));
            """

    /// No two boxes touch: 12 px at least between what has a border or a fill, unless one stands in the other. A main button is
    /// alone, and does not destroy.
    static let spacing =
        helpers + """
            const boxes = shown('main .panel, main .notice, main .alert, main button:not(.text), main .button, main .tile, '
                + 'main select, main textarea, main .big, main pre, '
                + 'main input:not([type=hidden], [type=checkbox], [type=radio], .code)');
            const wrong = [];
            boxes.forEach((one, index) => boxes.slice(index + 1).forEach(other => {
                if (one.contains(other) || other.contains(one)) { return; }
                const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
                const across = Math.max(b.left - a.right, a.left - b.right);
                const down = Math.max(b.top - a.bottom, a.top - b.bottom);
                const gap = Math.max(across, down);
                if (gap < 11.9) { wrong.push(gap.toFixed(1) + ' px between ' + name(one) + ' and ' + name(other)); }
            }));
            const main = shown('main button, main .button')
                .filter(e => !e.matches('.quiet, .text, .danger, .small, .providers button, summary'));
            if (main.length > 1 && !document.body.matches('.account, .admin')) {
                wrong.push('more than one main button: ' + main.map(name).join(', '));
            }
            return wrong;
            """

    /// No line begins with a full stop, a comma or a closing bracket, and none ends with an opening one.
    static let punctuation =
        helpers + """
            const blocks = 'p, li, h1, h2, h3, th, td, dt, dd, label, button, .button, summary, caption, .notice, .alert';
            const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
            const letters = [];
            while (walker.nextNode()) {
                const text = walker.currentNode;
                if (!isShown(text.parentElement)) { continue; }
                const block = text.parentElement.closest(blocks);
                for (let at = 0; at < text.data.length; at += 1) { letters.push({ text, at, block, sign: text.data[at] }); }
            }
            const range = document.createRange();
            const box = letter => {
                range.setStart(letter.text, letter.at);
                range.setEnd(letter.text, letter.at + 1);
                return range.getBoundingClientRect();
            };
            // A path is longer than a line, and breaks where the line ends.
            const isPath = index => {
                while (index >= 0 && !isBlank(letters[index]) && letters[index].sign !== '/') { index -= 1; }
                return index >= 0 && letters[index].sign === '/';
            };
            const isBlank = letter => !letter || /\\s/.test(letter.sign);
            return letters.flatMap((letter, index) => {
                const [before, after] = [letters[index - 1], letters[index + 1]];
                const touches = other => other && other.block === letter.block && !isBlank(other);
                const closes = /[.,:;!?)\\]»”]/.test(letter.sign) && touches(before) && !touches(after) && !isPath(index);
                const opens = /[(\\[«“„]/.test(letter.sign) && touches(after);
                if (closes && box(letter).top >= box(before).bottom - 1 || opens && box(after).top >= box(letter).bottom - 1) {
                    return ['"' + letter.sign + '" stands alone: ' + name(letter.block || document.body)];
                }
                return [];
            });
            """

    /// No word of a table of up to 20 characters goes on in the next line.
    static let words =
        helpers + """
            const range = document.createRange();
            return shown('main th, main td').flatMap(cell => {
                const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
                const wrong = [];
                while (walker.nextNode()) {
                    for (const word of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
                        range.setStart(walker.currentNode, word.index);
                        range.setEnd(walker.currentNode, word.index + word[0].length);
                        const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
                        if (word[0].length <= 20 && tops.size > 1) { wrong.push('"' + word[0] + '" breaks: ' + name(cell)); }
                    }
                }
                return wrong;
            });
            """

    /// Makes all text twice as large, without zoom (WCAG 2.2, 1.4.4).
    static let doubleText = "document.documentElement.style.fontSize = '200%'; return [];"
    static let plainText = "document.documentElement.style.fontSize = ''; return [];"
}
