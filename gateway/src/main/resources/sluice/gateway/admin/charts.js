'use strict';
// Line charts of the history: SVG with axes, and the values under the pointer.
const Charts = (() => {
  const NS = 'http://www.w3.org/2000/svg';
  const WIDTH = 560, HEIGHT = 190, LEFT = 78, RIGHT = 10, TOP = 10, BOTTOM = 24;

  const svg = (tag, attributes, ...content) => {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };

  /** The smallest 1, 2 or 5 times a power of ten, times the largest power of unit, that is at least n. */
  function round(n, unit) {
    let units = 1;
    while (unit > 1 && n >= units * unit) units *= unit;
    const power = 10 ** Math.floor(Math.log10(n / units));
    return units * [1, 2, 5, 10].map(f => f * power).find(f => f >= n / units * 0.999999);
  }

  const clock = millis => new Date(millis).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'});
  const exact = millis => new Date(millis).toLocaleTimeString();

  /**
   * A chart.
   * name: its caption. lines: [{name, key}] of the history's series. format: number to text. unit: 1024 for bytes, or none.
   */
  function make(name, lines, format, unit = 1) {
    const picture = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', class: 'chart'});
    const readout = document.createElement('p');
    readout.className = 'readout quiet';
    const caption = document.createElement('figcaption');
    caption.append(name);
    if (lines.length > 1) {
      lines.forEach((line, i) => {
        const legend = document.createElement('span');
        legend.className = 'legend line' + i;
        legend.textContent = line.name;
        caption.append(' ', legend);
      });
    }
    const figure = document.createElement('figure');
    figure.append(caption, picture, readout);
    let shown = null;

    function draw(history, seconds) {
      const {times, now, everySeconds} = history;
      const from = now - seconds * 1000;
      const x = time => LEFT + (time - from) / (now - from) * (WIDTH - LEFT - RIGHT);
      const all = lines.flatMap(line => history.series[line.key]).filter(v => v !== null);
      const top = all.length > 0 && Math.max(...all) > 0 ? round(Math.max(...all), unit) : 1;
      const y = value => HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
      picture.replaceChildren();
      for (const part of [0, 0.5, 1]) {
        picture.append(svg('line', {class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(top * part), y2: y(top * part)}),
          svg('text', {class: 'axis', x: LEFT - 6, y: y(top * part) + 4, 'text-anchor': 'end'}, part === 0 ? '0' : format(top * part)));
      }
      for (let i = 0; i <= 4; i++) {
        const time = from + (now - from) * i / 4;
        picture.append(svg('text', {class: 'axis' + (i % 2 ? ' between' : ''), x: x(time), y: HEIGHT - 6, 'text-anchor': i === 0 ? 'start' : i === 4 ? 'end' : 'middle'}, clock(time)));
      }
      lines.forEach((line, number) => {
        let d = '', before = -Infinity;
        history.series[line.key].forEach((value, i) => {
          if (value === null) { before = -Infinity; return; }
          d += (times[i] - before > everySeconds * 3000 ? 'M' : 'L') + x(times[i]).toFixed(1) + ' ' + y(value).toFixed(1);
          before = times[i];
        });
        picture.append(svg('path', {class: 'line line' + number, d}));
      });
      const latest = lines.map(line => {
        const values = history.series[line.key].filter(v => v !== null);
        return line.name + ' ' + (values.length > 0 ? format(values[values.length - 1]) : '–');
      }).join(', ');
      picture.setAttribute('aria-label', name + ', last ' + seconds / 60 + ' minutes; now ' + latest);
      shown = {history, x, latest};
      if (!figure.matches(':hover')) readout.textContent = 'now: ' + latest;
    }

    function point(event) {
      if (shown === null || shown.history.times.length === 0) return;
      const {history, x} = shown;
      const box = picture.getBoundingClientRect();
      const at = (event.clientX - box.left) / box.width * WIDTH;
      let nearest = 0;
      history.times.forEach((time, i) => { if (Math.abs(x(time) - at) < Math.abs(x(history.times[nearest]) - at)) nearest = i; });
      picture.querySelector('.pointer')?.remove();
      const where = x(history.times[nearest]);
      picture.append(svg('line', {class: 'pointer', x1: where, x2: where, y1: TOP, y2: HEIGHT - BOTTOM}));
      readout.textContent = exact(history.times[nearest]) + ': ' + lines.map(line => {
        const value = history.series[line.key][nearest];
        return line.name + ' ' + (value === null ? '–' : format(value));
      }).join(', ');
    }

    picture.addEventListener('pointermove', point);
    picture.addEventListener('pointerleave', () => {
      picture.querySelector('.pointer')?.remove();
      if (shown !== null) readout.textContent = 'now: ' + shown.latest;
    });
    return {figure, draw};
  }

  return {make, svg};
})();
