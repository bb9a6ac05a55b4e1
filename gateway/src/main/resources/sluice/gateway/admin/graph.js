'use strict';
// The routing graph as a picture: listeners, routes, rules, pools and servers, in columns from left to right.
const Graph = (() => {
  const {svg} = Charts;
  const WIDTHS = [130, 120, 250, 150, 190];
  const GAP = 46, ROW = 46, BOX = 38;
  const x = column => WIDTHS.slice(0, column).reduce((sum, w) => sum + w + GAP, 0) + 1;
  const total = x(WIDTHS.length) - GAP + 1;

  const cut = (text, width) => {
    const most = Math.floor((width - 16) / 7);
    return text.length > most ? text.slice(0, most - 1) + '…' : text;
  };

  /**
   * nodes: [{id, column, title, note, state}], links: [{from, to, dashed}]. The order of nodes is
   * that of the picture in each column.
   */
  function draw(place, nodes, links) {
    const at = new Map();
    const used = WIDTHS.map(() => 0);
    for (const node of nodes) {
      at.set(node.id, {...node, x: x(node.column), y: used[node.column] * ROW + 1});
      used[node.column]++;
    }
    // each column is centred, so that links are short
    const most = Math.max(...used, 1);
    for (const node of at.values()) node.y += (most - used[node.column]) * ROW / 2;
    const picture = svg('svg', {viewBox: `0 0 ${total} ${most * ROW}`, width: total, height: most * ROW, role: 'img', class: 'graph',
      'aria-label': 'Listeners, routes, rules, pools and servers; the tables have the same figures'});
    for (const link of links) {
      const from = at.get(link.from), to = at.get(link.to);
      if (!from || !to) continue;
      const x1 = from.x + WIDTHS[from.column], y1 = from.y + BOX / 2, x2 = to.x, y2 = to.y + BOX / 2;
      picture.append(svg('path', {class: 'link' + (link.dashed ? ' dashed' : ''), d: `M${x1} ${y1}C${x1 + GAP / 2} ${y1} ${x2 - GAP / 2} ${y2} ${x2} ${y2}`}));
    }
    for (const node of at.values()) {
      const width = WIDTHS[node.column];
      picture.append(svg('g', {class: 'node ' + (node.state || '')},
        svg('title', {}, node.title + (node.note ? ': ' + node.note : '')),
        svg('rect', {x: node.x, y: node.y, width, height: BOX, rx: 7}),
        svg('text', {x: node.x + 8, y: node.y + 16}, cut(node.title, width)),
        svg('text', {x: node.x + 8, y: node.y + 31, class: 'note'}, cut(node.note || '', width + 20))));
    }
    place.replaceChildren(picture);
  }

  return {draw};
})();
