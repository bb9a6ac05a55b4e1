'use strict';
// Prometheus' text format 0.0.4, and numbers of it. A number shown says in its attributes where it comes from, so that
// a test can hold it against the text.
const Metrics = (() => {
  const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

  const unescape = text => text.replace(/\\(.)/g, (all, c) => c === 'n' ? '\n' : c);

  /** From a metric's name to its samples, [{labels, value}]. */
  function parse(text) {
    const all = new Map();
    for (const line of text.split('\n')) {
      if (line === '' || line[0] === '#') continue;
      const brace = line.indexOf('{');
      const space = line.lastIndexOf(' ');
      const name = line.slice(0, brace < 0 ? line.indexOf(' ') : brace);
      const labels = {};
      if (brace >= 0) {
        for (const [, label, value] of line.slice(brace, space).matchAll(LABEL)) labels[label] = unescape(value);
      }
      const written = line.slice(space + 1);
      const value = written === '+Inf' ? Infinity : written === '-Inf' ? -Infinity : Number(written);
      if (!all.has(name)) all.set(name, []);
      all.get(name).push({labels, value});
    }
    return all;
  }

  const matches = (sample, labels) => Object.entries(labels).every(([name, value]) => sample.labels[name] === value);

  /** The samples of a metric that have these labels. */
  const samples = (all, metric, labels = {}) => (all.get(metric) || []).filter(s => matches(s, labels));

  /** Their sum; NaN where there is none. */
  function sum(all, metric, labels) {
    const found = samples(all, metric, labels);
    return found.length === 0 ? NaN : found.reduce((total, s) => total + s.value, 0);
  }

  /** The largest of them; NaN where there is none. */
  function max(all, metric, labels) {
    const found = samples(all, metric, labels);
    return found.length === 0 ? NaN : Math.max(...found.map(s => s.value));
  }

  /** What stands in a label of a metric, sorted. */
  const values = (all, metric, label, labels = {}) =>
    [...new Set(samples(all, metric, labels).map(s => s.labels[label]))].sort();

  return {parse, samples, sum, max, values};
})();
