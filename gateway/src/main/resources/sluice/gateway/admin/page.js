'use strict';
(() => {
  const EVERY_MILLIS = 2000;
  const KEPT = 150; // five minutes
  const BAD = ['error', 'rejected', 'timeout', 'server_down', 'protocol_error'];
  const $ = id => document.getElementById(id);

  // --- numbers as people read them ------------------------------------------------------------

  const digits = n => (n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2)).replace(/\.0+$/, '');
  const show = {
    count: n => Math.round(n).toLocaleString('en-US'),
    rate: n => n >= 1e6 ? digits(n / 1e6) + ' M/s' : n >= 1e4 ? digits(n / 1e3) + ' k/s' : digits(n) + ' /s',
    seconds: n => n < 1e-3 ? digits(n * 1e6) + ' µs' : n < 1 ? digits(n * 1e3) + ' ms' : digits(n) + ' s',
    bytes: n => n < 1024 ? n.toFixed(0) + ' B' : n < 1048576 ? digits(n / 1024) + ' KiB'
      : n < 1073741824 ? digits(n / 1048576) + ' MiB' : digits(n / 1073741824) + ' GiB',
    byteRate: n => show.bytes(n) + '/s',
    percent: n => (n * 100).toFixed(n < 0.1 ? 2 : 1) + ' %',
    uptime: n => n < 120 ? n.toFixed(0) + ' s' : n < 7200 ? Math.floor(n / 60) + ' min' : n < 172800
      ? Math.floor(n / 3600) + ' h' : Math.floor(n / 86400) + ' days',
  };

  const make = (tag, attributes = {}, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };

  // --- numbers of the metrics -----------------------------------------------------------------

  let before = null; // {at, metrics}: the scrape before the last one
  let last = null;

  const read = {
    sum: (metric, labels) => Metrics.sum(last.metrics, metric, labels),
    max: (metric, labels) => Metrics.max(last.metrics, metric, labels),
    rate: (metric, labels) => {
      if (before === null) return NaN;
      const now = Metrics.sum(last.metrics, metric, labels);
      const then = Metrics.sum(before.metrics, metric, labels);
      return Math.max(0, now - (Number.isNaN(then) ? 0 : then)) / ((last.at - before.at) / 1000);
    },
  };

  /** A number that says where it comes from: how it is made of which samples. */
  const number = (how, metric, labels, format) => {
    const value = read[how](metric, labels);
    return make('span', {'data-how': how, 'data-metric': metric, 'data-labels': JSON.stringify(labels), 'data-value': value},
      Number.isNaN(value) ? '–' : show[format](value));
  };

  /** One sum over another. */
  const ratio = (above, aboveLabels, below, belowLabels) => {
    const value = aboveLabels.reduce((sum, l) => sum + (Metrics.sum(last.metrics, above, l) || 0), 0) /
      belowLabels.reduce((sum, l) => sum + (Metrics.sum(last.metrics, below, l) || 0), 0);
    return make('span', {'data-how': 'ratio', 'data-metric': above, 'data-labels': JSON.stringify(aboveLabels),
      'data-below': below, 'data-below-labels': JSON.stringify(belowLabels), 'data-value': value},
    Number.isFinite(value) ? show.percent(value) : '–');
  };

  const values = (metric, label, labels) => Metrics.values(last.metrics, metric, label, labels);

  // --- parts of the page ----------------------------------------------------------------------

  const card = (name, figure, ...more) =>
    make('div', {class: 'card'}, make('div', {class: 'name'}, name), make('div', {class: 'figure'}, figure), make('div', {class: 'more'}, ...more));

  function cards() {
    const own = q => number('sum', 'sluice_own_time_quantile_seconds', {quantile: q}, 'seconds');
    const request = q => number('max', 'sluice_request_time_quantile_seconds', {quantile: q}, 'seconds');
    const bad = BAD.map(outcome => ({outcome}));
    $('cards').replaceChildren(
      card('Requests', number('rate', 'sluice_requests_total', {}, 'rate'), number('sum', 'sluice_requests_total', {}, 'count'), ' in all'),
      card('Own time, 99 %', own('0.99'), 'half ', own('0.5'), ', 99.9 % ', own('0.999')),
      card('Request time, 99 %', request('0.99'), 'half ', request('0.5'), ', 99.9 % ', request('0.999')),
      card('Errors', ratio('sluice_requests_total', bad, 'sluice_requests_total', [{}]), 'of all requests'),
      card('Misses', ratio('sluice_requests_total', [{outcome: 'miss'}], 'sluice_requests_total', [{}]), 'of all requests'),
      card('Clients', number('sum', 'sluice_connections', {}, 'count'), number('sum', 'sluice_in_flight', {}, 'count'), ' requests in flight'),
      card('From clients', number('rate', 'sluice_bytes_total', {direction: 'client_in'}, 'byteRate'),
        number('rate', 'sluice_bytes_total', {direction: 'client_out'}, 'byteRate'), ' to them'),
      card('Buffered', number('sum', 'sluice_buffered_bytes', {}, 'bytes'), 'of ',
        number('sum', 'sluice_memory_limit_bytes', {area: 'buffers'}, 'bytes')));
  }

  const row = (...cells) => make('tr', {}, ...cells.map(cell => cell instanceof Node && /^T[DH]$/.test(cell.nodeName) ? cell
    : make('td', cell instanceof Element && cell.dataset.how ? {class: 'n'} : {}, cell)));
  const head = (...names) => make('tr', {}, ...names.map(name => make('th', name[0] === '#' ? {class: 'n'} : {}, name.replace('#', ''))));

  function listeners(list) {
    $('listeners').replaceChildren(head('name', 'address', '#clients', '#requests', '#half', '#99 %', '#99.9 %'),
      ...list.map(l => {
        const labels = {listener: l.name};
        const time = q => number('sum', 'sluice_request_time_quantile_seconds', {...labels, quantile: q}, 'seconds');
        return row(l.name, l.address, number('sum', 'sluice_connections', labels, 'count'),
          number('rate', 'sluice_requests_total', labels, 'rate'), time('0.5'), time('0.99'), time('0.999'));
      }));
  }

  const GOOD = {up: 'good', down: 'bad', ejected: 'warn'};

  function servers(pools) {
    const rows = [];
    for (const pool of pools) {
      if (pool.servers.length === 0) {
        rows.push(row(pool.name, make('td', {class: 'why', colspan: '7'}, 'no servers' + (pool.discovery ? ': ' + pool.discovery.problem : ''))));
      }
      for (const server of pool.servers) {
        const labels = {pool: pool.name, server: server.server};
        const time = q => number('sum', 'sluice_server_time_quantile_seconds', {...labels, quantile: q}, 'seconds');
        rows.push(row(pool.name, server.server, make('span', {class: 'pill ' + (GOOD[server.state] || ''), 'data-state': server.state}, server.state),
          make('td', {class: 'why'}, server.why + (server.since.startsWith('1970') ? '' : ', since ' + server.since.slice(0, 19).replace('T', ' '))),
          make('td', {class: 'n'}, show.count(server.inFlight)), time('0.5'), time('0.99'),
          number('sum', 'sluice_server_ejections_total', labels, 'count')));
      }
    }
    const names = ['pool', 'server', 'state', 'why', 'in flight', 'half', '99 %', 'ejected'];
    // where the table is too narrow for a row in one line, numbers stand with their names
    rows.forEach(cells => [...cells.children].forEach((cell, i) => { cell.dataset.name = names[i]; }));
    $('servers').replaceChildren(head(...names.slice(0, 4), ...names.slice(4).map(n => '#' + n)), ...rows);
  }

  function commands() {
    const outcomes = values('sluice_requests_total', 'outcome');
    $('commands').replaceChildren(head('command', '#now', ...outcomes.map(o => '#' + o.replace('_', ' '))),
      ...values('sluice_requests_total', 'command').map(command => row(command, number('rate', 'sluice_requests_total', {command}, 'rate'),
        ...outcomes.map(outcome => number('sum', 'sluice_requests_total', {command, outcome}, 'count')))));
  }

  const bar = (share, label, figure) => {
    const fill = make('div');
    fill.style.width = Math.min(100, share * 100) + '%';
    return [label, make('div', {class: 'track'}, fill), figure];
  };

  function hot(keys) {
    $('hot-since').textContent = keys.groups.length === 0 ? 'No requests with keys lately.'
      : 'Share of requests since ' + keys.since.slice(11, 19) + ' UTC, and how far off it may be' + (keys.dropped > 0 ? '; ' + show.count(keys.dropped) + ' samples dropped' : '');
    $('hot').replaceChildren(...keys.groups.flatMap(group => [
      make('h3', {}, group.listener + ' → ' + group.pool + ', about ' + show.count(group.requests) + ' requests'),
      make('div', {class: 'bars hot'}, ...group.keys.slice(0, 10).flatMap(key => bar(key.share, make('span', {class: 'key'}, key.key),
        make('span', {class: 'n'}, show.percent(key.share) + ' ± ' + show.percent(key.error))))),
    ]));
  }

  function sizes() {
    const parts = [];
    for (const direction of values('sluice_value_bytes_bucket', 'direction')) {
      const buckets = Metrics.samples(last.metrics, 'sluice_value_bytes_bucket', {direction})
        .map(s => ({le: s.labels.le, bound: s.labels.le === '+Inf' ? Infinity : Number(s.labels.le), upTo: s.value}))
        .sort((a, b) => a.bound - b.bound);
      const total = buckets[buckets.length - 1].upTo;
      const bars = [];
      buckets.forEach((b, i) => {
        const count = b.upTo - (i === 0 ? 0 : buckets[i - 1].upTo);
        if (count === 0) return;
        bars.push(...bar(count / total, make('span', {class: 'n'}, b.bound === Infinity ? 'more' : 'to ' + show.bytes(b.bound)),
          make('span', {class: 'n', 'data-how': 'bucket', 'data-metric': 'sluice_value_bytes_bucket', 'data-labels': JSON.stringify({direction, le: b.le}),
            'data-below-labels': i === 0 ? '' : JSON.stringify({direction, le: buckets[i - 1].le}), 'data-value': count}, show.count(count))));
      });
      if (total > 0) parts.push(make('h3', {}, direction), make('div', {class: 'bars'}, ...bars));
    }
    $('sizes').replaceChildren(...(parts.length > 0 ? parts : [make('p', {class: 'quiet'}, 'No values yet.')]));
  }

  function compression() {
    const stage = s => number('sum', 'sluice_compression_bytes_total', {stage: s}, 'bytes');
    const part = (above, below) => ratio('sluice_compression_bytes_total', [{stage: above}], 'sluice_compression_bytes_total', [{stage: below}]);
    $('compression').replaceChildren(head('', '#before', '#after', '#of it'),
      row('written', stage('plain'), stage('stored'), part('stored', 'plain')),
      row('read', stage('restored'), stage('read'), part('read', 'restored')),
      row('not worth it', stage('passed'), make('td'), make('td')));
  }

  function loops() {
    $('loops').replaceChildren(head('loop', '#processor', '#late, half', '#late, 99 %'),
      ...values('sluice_loop_cpu_seconds_total', 'loop').map(loop => {
        const late = q => number('sum', 'sluice_loop_lag_quantile_seconds', {loop, quantile: q}, 'seconds');
        return row(loop, number('rate', 'sluice_loop_cpu_seconds_total', {loop}, 'percent'), late('0.5'), late('0.99'));
      }));
  }

  function memory() {
    const limit = area => number('sum', 'sluice_memory_limit_bytes', {area}, 'bytes');
    $('memory').replaceChildren(head('', '#used', '#limit'),
      ...values('sluice_memory_used_bytes', 'area').map(area => row(area,
        number('sum', 'sluice_memory_used_bytes', {area}, 'bytes'), Number.isNaN(read.sum('sluice_memory_limit_bytes', {area})) ? make('td') : limit(area))),
      row('allocated on the heap', number('rate', 'sluice_process_allocated_bytes_total', {}, 'byteRate'), make('td')));
  }

  function links() {
    const verbs = values('sluice_internode_messages_total', 'verb');
    $('internode').hidden = verbs.length === 0;
    $('links').replaceChildren(head('verb', '#in', '#in all', '#out in all'), ...verbs.map(verb =>
      row(verb, number('rate', 'sluice_internode_messages_total', {verb, direction: 'in'}, 'rate'),
        number('sum', 'sluice_internode_messages_total', {verb, direction: 'in'}, 'count'),
        number('sum', 'sluice_internode_messages_total', {verb, direction: 'out'}, 'count'))));
  }

  // --- charts ---------------------------------------------------------------------------------

  const history = {throughput: [], own: []};

  function chart(id, value, format) {
    const points = history[id];
    points.push(Number.isFinite(value) ? value : 0);
    if (points.length > KEPT) points.shift();
    const most = Math.max(...points, 1e-9);
    const line = points.map((p, i) => (i === 0 ? 'M' : 'L') + (300 - (points.length - 1 - i) * 300 / (KEPT - 1)).toFixed(1) + ' ' + (58 - 54 * p / most).toFixed(1)).join('');
    $(id).replaceChildren();
    const path = (d, type) => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      element.setAttribute('d', d);
      element.setAttribute('class', type);
      $(id).append(element);
    };
    path(line + 'L300 60L' + (300 - (points.length - 1) * 300 / (KEPT - 1)).toFixed(1) + ' 60Z', 'under');
    path(line, 'line');
    $(id + '-most').textContent = most > 1e-9 ? 'at most ' + show[format](most) : '';
  }

  // --- live -----------------------------------------------------------------------------------

  let live = true;
  let timer;

  const json = path => fetch(path).then(answer => answer.json());

  async function tick() {
    clearTimeout(timer);
    try {
      const [text, ready, pools, listening, keys] = await Promise.all(
        [fetch('metrics').then(answer => answer.text()), json('ready'), json('pools'), json('listeners'), json('hot-keys')]);
      if (!live) return;
      before = last;
      last = {at: performance.now(), text, metrics: Metrics.parse(text)};
      $('phase').textContent = ready.phase + (ready.ready ? '' : ', not ready');
      $('phase').className = 'pill ' + (ready.ready ? 'good' : 'bad');
      $('since').replaceChildren('up ', number('sum', 'process_uptime_seconds', {}, 'uptime'));
      const trouble = [...ready.unusableRoutes.map(r => 'route ' + r.route + ': ' + r.why), ...ready.configurationProblems];
      complain(trouble.join('; '));
      cards();
      listeners(listening);
      servers(pools);
      commands();
      hot(keys);
      sizes();
      compression();
      loops();
      memory();
      links();
      chart('throughput', read.rate('sluice_requests_total', {}), 'rate');
      chart('own', read.sum('sluice_own_time_quantile_seconds', {quantile: '0.99'}), 'seconds');
      // what the numbers were made of
      document.body.dataset.scrapes = Number(document.body.dataset.scrapes || 0) + 1;
      window.sluice = {before: before && before.text, last: text, seconds: before && (last.at - before.at) / 1000};
    } catch (failure) {
      $('phase').textContent = 'no answer';
      $('phase').className = 'pill bad';
      complain(String(failure.message || failure));
    }
    if (live) timer = setTimeout(tick, EVERY_MILLIS);
  }

  function complain(text) {
    $('trouble').textContent = text;
    $('trouble').hidden = text === '';
  }

  $('live').onclick = () => {
    live = !live;
    $('live').textContent = live ? 'Pause' : 'Go on';
    $('live').setAttribute('aria-pressed', String(live));
    if (live) tick();
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else if (live) tick();
  });

  // --- profiles -------------------------------------------------------------------------------

  $('profile').onsubmit = async submitted => {
    submitted.preventDefault();
    const seconds = Number($('seconds').value);
    const began = performance.now();
    $('record').disabled = true;
    $('progress').hidden = false;
    $('progress').max = seconds;
    $('profiled').textContent = 'Recording for ' + seconds + ' s.';
    const moving = setInterval(() => { $('progress').value = (performance.now() - began) / 1000; }, 200);
    try {
      const question = new URLSearchParams({event: $('event').value, seconds, format: 'flamegraph'});
      const answer = await fetch('profile?' + question, {method: 'POST'});
      if (!answer.ok) throw new Error((await answer.json()).error);
      const graph = await answer.blob();
      const address = URL.createObjectURL(graph);
      const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition'))[1];
      $('flames').src = address;
      $('flames').hidden = false;
      // Flames stand on the bottom: with less room than they want, only their tips would be seen.
      const height = /#canvas \{[^}]*height: (\d+)px/.exec(await graph.text());
      $('flames').style.height = height ? Number(height[1]) + 110 + 'px' : '';
      $('download').href = address;
      $('download').download = name;
      $('download').hidden = false;
      $('profiled').textContent = name + ': the samples were taken by ' + answer.headers.get('Sluice-Profile-Engine') + '.';
    } catch (failure) {
      $('profiled').textContent = 'No profile: ' + failure.message;
    } finally {
      clearInterval(moving);
      $('progress').hidden = true;
      $('record').disabled = false;
    }
  };

  tick();
})();
