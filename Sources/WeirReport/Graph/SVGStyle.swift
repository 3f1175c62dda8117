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
