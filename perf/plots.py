"""Bars of what perf/compare found, as SVG: light and dark as the reader's screen is."""
import statistics
from xml.sax.saxutils import escape

WIDTH, LEFT, BAR, GAP = 860, 330, 16, 22
COLOURS = ["#2a6fdb", "#c2571a", "#3f8f4f", "#8d5bb8", "#777777"]
STYLE = """
 text { font: 13px sans-serif; fill: #222 } .small { font-size: 11px; fill: #666 } .title { font-weight: bold; font-size: 15px }
 svg { background: #fff } line { stroke: #333; stroke-width: 1 }
 @media (prefers-color-scheme: dark) { text { fill: #ddd } .small { fill: #aaa } svg { background: #16181c } line { stroke: #ccc } }
"""


def svg(results):
    """Of each case a group of bars: CPU per request; where there are latencies, those of p50 and p99."""
    charts = [("CPU per request, microseconds (user and system)", groups(results, "rows", "cpu_us"))]
    for name, field in (("p50", "p50_us"), ("p99", "p99_us")):
        charts.append(("latency at half load, %s, microseconds" % name, groups(results, "latency", field)))
    names = list(dict.fromkeys(name for _, found in charts for _, bars in found for name, _, _, _ in bars))
    body, y = [], 24
    for title, found in charts:
        if found:
            y = chart(body, y, title, found, names)
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">\n<style>%s</style>\n%s\n</svg>\n'
            % (WIDTH, y, WIDTH, y, STYLE, "\n".join(body)))


def groups(results, where, field):
    found = []
    for result in results:
        bars = []
        for name, rows in result.get(where, {}).items():
            values = [row[field] for row in rows]
            bars.append((name, statistics.median(values), min(values), max(values)))
        if bars:
            found.append((result["what"], bars))
    return found


def chart(body, y, title, found, names):
    most = max(high for _, bars in found for _, _, _, high in bars) or 1
    scale = (WIDTH - LEFT - 90) / most
    body.append('<text class="title" x="10" y="%d">%s</text>' % (y, escape(title)))
    y += 14
    for what, bars in found:
        y += 16
        body.append('<text class="small" x="10" y="%d">%s</text>' % (y, escape(what)))
        y += 6
        for name, middle, low, high in bars:
            colour = COLOURS[names.index(name) % len(COLOURS)]
            body.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, y + 12, escape(name)))
            body.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (LEFT, y, middle * scale, BAR, colour))
            body.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>' % (
                LEFT + low * scale, LEFT + high * scale, y + BAR // 2, y + BAR // 2))
            body.append('<text x="%.1f" y="%d">%.2f</text>' % (LEFT + high * scale + 6, y + 12, middle))
            y += GAP
    return y + 24
