extension LinkPattern {
    /// All places at once: the length of the pattern times that of the text divided by 64, whatever both are.
    func thoroughly(_ text: LinkText, _ effort: inout MatchEffort) -> Bool {
        let occurrences = PositionSet.Occurrences(text)
        effort.left -= text.count
        var places = PositionSet(start: occurrences)
        if let bareCount {
            walk(code[..<bareCount], &places, text, occurrences, &effort)
            if places.contains(text.count) { return !effort.isSpent }
            walk(code[bareCount...], &places, text, occurrences, &effort)
        } else {
            walk(code[...], &places, text, occurrences, &effort)
        }
        return places.contains(text.count) && !effort.isSpent
    }

    private func walk(
        _ code: ArraySlice<PatternCode>, _ places: inout PositionSet, _ text: LinkText,
        _ occurrences: PositionSet.Occurrences, _ effort: inout MatchEffort
    ) {
        for step in code {
            // Sets of places are dearer than steps of the short search.
            effort.left -= 20 * occurrences.wordCount + 80
            if places.isEmpty || effort.isSpent { return }
            if let byte = step.literal {
                places.advance(over: occurrences[byte])
            } else if step == .one {
                places.advanceOne(occurrences)
            } else if step == .star {
                places.advanceAny(occurrences)
            } else if step == .segment {
                effort.left -= 4 * text.count
                for place in 0..<text.count where places.contains(place) && text.bytes[text.lower + place] != 0x2f {
                    places.insert(place + 1)
                }
            } else if let index = step.setIndex {
                effort.left -= 80 * occurrences.wordCount
                var mask = PositionSet(none: occurrences)
                for place in places.places
                where place < text.count && sets[index].contains(text.bytes[text.lower + place]) {
                    mask.insert(place)
                }
                places.advance(over: mask.words)
            } else if let index = step.listIndex {
                take(lists[index], &places, text, occurrences, &effort)
            }
        }
        if effort.isSpent { places = PositionSet(none: occurrences) }
    }

    private func take(
        _ list: ValueList, _ places: inout PositionSet, _ text: LinkText, _ occurrences: PositionSet.Occurrences,
        _ effort: inout MatchEffort
    ) {
        var ends = PositionSet(none: occurrences)
        for start in places.places {
            var node = 0
            var place = start
            while true {
                effort.left -= 12
                if effort.isSpent { return }
                if list.nodes[node].isEnd { ends.insert(place) }
                guard place < text.count, let child = list.child(of: node, text.bytes[text.lower + place]) else {
                    break
                }
                node = child
                place += 1
            }
        }
        for value in list.wild {
            var branch = places
            walk(value[...], &branch, text, occurrences, &effort)
            if effort.isSpent { return }
            ends.formUnion(branch)
        }
        places = ends
    }
}
