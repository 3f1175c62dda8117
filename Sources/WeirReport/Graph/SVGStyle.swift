/// The colours and fonts of a picture, for a light and a dark background.
enum SVGStyle {
    /// The number of distinguishable levels of activity.
    static let heatLevels = 6
    /// The number of levels of traffic on a line.
    static let trafficLevels = 4

    static let sheet =
        shapes + colours(light, prefix: "") + "@media (prefers-color-scheme:dark){\n" + colours(dark, prefix: "")
        + "}\n"

    private static let shapes = """
        text{font-family:ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',Consolas,monospace;font-size:10px}
        .title{font-size:17px;font-weight:600}
        .subtitle{font-size:11.5px}
        .name{font-size:12px;font-weight:600}
        .value{font-size:12px}
        .group{font-size:11px;font-weight:600}
        .small{font-size:9.5px}
        .frame{stroke-width:1}
        .box,.call{stroke-width:1}
        .elsewhere{fill:none;stroke-width:1;stroke-dasharray:3 3}
        .line{fill:none;stroke-linecap:round}
        .timing{stroke-dasharray:6 4}
        .handler{stroke-dasharray:.1 4.5}
        .t0{stroke-width:1.1}.t1{stroke-width:1.4}.t2{stroke-width:1.8}.t3{stroke-width:2.3}
        .handler.t0{stroke-width:2}
        .gone{opacity:.5}
        .sign{stroke-width:1.3;fill:none}
        .edge:hover .line{stroke-width:3.4}
        .halo{stroke-width:3.5;stroke-linejoin:round}

        """

    private struct Palette {
        var page, text, faint, frame, frameLine, boxLine: String
        var data, timing, handler, feedback: String
        var fills: [String]
        var bars: [String]
    }

    private static let light = Palette(
        page: "#fbfcfd", text: "#1b2330", faint: "#66717f", frame: "#f0f3f7", frameLine: "#d9e0e8",
        boxLine: "#c6ced8", data: "#5f7089", timing: "#7d5fc0", handler: "#0f8a7e", feedback: "#d3303b",
        fills: ["#ffffff", "#fff8ec", "#feeed4", "#fddfb4", "#fbcb8e", "#f8b368"],
        bars: ["#cdd4dd", "#ecc98f", "#e8ac5a", "#e28a34", "#d76624", "#c33f14"])

    private static let dark = Palette(
        page: "#13171c", text: "#e7ebf1", faint: "#94a0af", frame: "#1a2027", frameLine: "#2c3641",
        boxLine: "#3a4552", data: "#8496af", timing: "#ac93ea", handler: "#43bfb0", feedback: "#ff6d75",
        fills: ["#20262e", "#2b2923", "#3a3022", "#4d3a22", "#644521", "#7f531f"],
        bars: ["#465160", "#6f5d3b", "#9a743a", "#c78c3a", "#e8a245", "#ffba60"])

    private static func colours(_ palette: Palette, prefix: String) -> String {
        var sheet = """
            .page{fill:\(palette.page)}
            text{fill:\(palette.text)}
            .faint{fill:\(palette.faint)}
            .frame{fill:\(palette.frame);stroke:\(palette.frameLine)}
            .box,.elsewhere{stroke:\(palette.boxLine)}
            .call{fill:\(palette.page);stroke:\(palette.data)}
            .sign{stroke:\(palette.faint)}
            .dot{fill:\(palette.faint)}
            .halo{fill:\(palette.page);stroke:\(palette.page)}

            """
        let lines = [
            ("data", palette.data), ("timing", palette.timing), ("handler", palette.handler),
            ("feedback", palette.feedback),
        ]
        for (name, colour) in lines {
            sheet += ".line.\(name){stroke:\(colour)}.tip.\(name),.mark.\(name){fill:\(colour)}\n"
        }
        for (level, fill) in palette.fills.enumerated() { sheet += ".h\(level){fill:\(fill)}" }
        sheet += "\n"
        for (level, bar) in palette.bars.enumerated() { sheet += ".b\(level){fill:\(bar)}" }
        return sheet + "\n"
    }
}

/// Text that is safe in a picture: it neither breaks the XML nor overflows its box.
enum SVGText {
    /// `text` for the content of an element or an attribute; unsafe characters become escapes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Noncharacters. The controls that XML 1.0 forbids are escaped by now.
            case _ where scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value):
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text` on at most `columns` columns, without stacks of combining marks.
    static func cut(_ text: String, to columns: Int) -> String {
        // Escapes are as wide as they are long, so they count as well.
        let shown = TerminalText.escaped(String(text.unicodeScalars.prefix(columns * 4)))
        let cut = TerminalText.cut(shown, to: columns)
        return text.unicodeScalars.count > columns * 4 && !cut.hasSuffix("…") ? cut + "…" : cut
    }

    /// `text` on lines of at most `columns` columns; a line ends after a dot, a space or the like, if there is one.
    ///
    /// Only a text that fills eight lines is cut.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        var (lines, line, width) = ([String](), "", 0)
        // Where the line may end, with its width up to there.
        var stop: (end: String.Index, width: Int)?
        for character in cut(text, to: 8 * columns - 8) {
            let own = TerminalText.width(String(character))
            if width + own > columns {
                let end = stop?.end ?? line.endIndex
                lines.append(String(line[..<end]))
                line = String(line[end...].drop { $0 == " " })
                (width, stop) = (TerminalText.width(line), nil)
            }
            // Not a stack of combining marks.
            line.unicodeScalars += character.unicodeScalars.prefix(10)
            width += own
            if ". :,/])…".contains(character), width > columns / 3 { stop = (line.endIndex, width) }
        }
        return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
    }

    /// The part of `text` that a tooltip shows.
    static func start(_ text: String) -> String {
        let start = String(text.unicodeScalars.prefix(300))
        return start.utf8.count < text.utf8.count ? start + "…" : start
    }

    /// The width of `text` in a monospaced font, based on the widest such font in use.
    static func width(_ text: String, size: Double) -> Double { Double(TerminalText.width(text)) * size * 0.61 }

    /// A coordinate, to a tenth.
    static func number(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e12), 1e12) * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, tenth) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(tenth)"
    }

    /// A count in a short form: "1,204", "83.1k", "12M".
    static func count(_ number: UInt64) -> String {
        guard number >= 10_000 else { return Figures.count(number) }
        var (unit, suffix): (UInt64, String) = (1000, "k")
        for next in ["M", "G", "T", "P"] where number / unit >= 1000 { (unit, suffix) = (unit * 1000, next) }
        let (whole, rest) = number.quotientAndRemainder(dividingBy: unit)
        let tenth = rest / (unit / 10)
        return whole >= 100 || tenth == 0 ? "\(Figures.count(whole))\(suffix)" : "\(whole).\(tenth)\(suffix)"
    }
}
