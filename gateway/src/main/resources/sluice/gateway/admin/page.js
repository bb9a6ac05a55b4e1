'use strict';
(() => {
  const EVERY_MILLIS = 2000;
  const HISTORY_MILLIS = 5000;
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
    sums: (metrics, labels) => metrics.reduce((sum, metric) => sum + (Metrics.sum(last.metrics, metric, labels) || 0), 0),
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

  /** A share of the last minute's requests, from the history. */
  const minute = which => {
    const {requests, [which]: some} = past ? past.lastMinute : {requests: 0, [which]: 0};
    const value = some / requests;
    return make('span', {'data-minute': which, 'data-value': value}, Number.isFinite(value) ? show.percent(value) : '–');
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
      card('Requests', number('rate', 'sluice_requests_total', {}, 'rate'), number('sum', 'sluice_requests_total', {}, 'count'), ' since the start'),
      card('Gateway latency, p99', own('0.99'), 'p50 ', own('0.5'), ', p99.9 ', own('0.999')),
      card('Request time, p99', request('0.99'), 'p50 ', request('0.5'), ', p99.9 ', request('0.999')),
      card('Errors, last minute', minute('errors'), ratio('sluice_requests_total', bad, 'sluice_requests_total', [{}]), ' since the start'),
      card('Misses, last minute', minute('misses'), ratio('sluice_requests_total', [{outcome: 'miss'}], 'sluice_requests_total', [{}]), ' since the start'),
      card('Clients', number('sum', 'sluice_connections', {}, 'count'), number('sum', 'sluice_in_flight', {}, 'count'), ' requests in flight'),
      card('From clients', number('rate', 'sluice_bytes_total', {direction: 'client_in'}, 'byteRate'),
        number('rate', 'sluice_bytes_total', {direction: 'client_out'}, 'byteRate'), ' to them'),
      card('Buffered', number('sum', 'sluice_buffered_bytes', {}, 'bytes'), 'of ',
        number('sum', 'sluice_memory_limit_bytes', {area: 'buffers'}, 'bytes')));
  }

  const row = (...cells) => make('tr', {}, ...cells.map(cell => cell instanceof Node && /^T[DH]$/.test(cell.nodeName) ? cell
    : make('td', cell instanceof Element && cell.dataset.how ? {class: 'n'} : {}, cell)));
  const head = (...names) => make('tr', {}, ...names.map(name => make(name === '' ? 'td' : 'th', name[0] === '#' ? {class: 'n', scope: 'col'} : name === '' ? {} : {scope: 'col'}, name.replace('#', ''))));

  function listeners(list) {
    $('listeners').replaceChildren(head('name', 'address', '#clients', '#requests', '#p50', '#p99', '#p99.9'),
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
    const names = ['pool', 'server', 'state', 'why', 'in flight', 'requests', 'share', 'p50', 'p99', 'errors', 'ejections', ''];
    for (const pool of pools) {
      if (pool.servers.length === 0) {
        rows.push(row(pool.name, make('td', {class: 'why', colspan: names.length - 1}, 'no servers' + (pool.discovery ? ': ' + pool.discovery.problem : ''))));
      }
      for (const server of pool.servers) {
        const labels = {pool: pool.name, server: server.server};
        const time = q => number('sum', 'sluice_server_time_quantile_seconds', {...labels, quantile: q}, 'seconds');
        const share = read.rate('sluice_server_time_seconds_count', labels) / read.rate('sluice_server_time_seconds_count', {pool: pool.name});
        rows.push(row(pool.name, server.server, make('span', {class: 'pill ' + (GOOD[server.state] || ''), 'data-state': server.state}, server.state),
          make('td', {class: 'why'}, server.why + (server.since.startsWith('1970') ? '' : ', since ' + server.since.slice(0, 19).replace('T', ' '))),
          make('td', {class: 'n'}, show.count(server.inFlight)), number('rate', 'sluice_server_time_seconds_count', labels, 'rate'),
          make('td', {class: 'n'}, Number.isFinite(share) ? show.percent(share) : '–'), time('0.5'), time('0.99'),
          number('sums', ['sluice_server_protocol_errors_total', 'sluice_server_failed_requests_total'], labels, 'count'),
          number('sum', 'sluice_server_ejections_total', labels, 'count'), action(pool, server)));
      }
    }
    // where the table is too narrow for a row in one line, numbers stand with their names
    rows.forEach(cells => [...cells.children].forEach((cell, i) => { cell.dataset.name = names[i]; }));
    keepFocus($('servers'), () => $('servers').replaceChildren(head(...names.slice(0, 4), ...names.slice(4).map(n => n && '#' + n)), ...rows));
  }

  /** The button that ejects a server or restores it, for callers that may. */
  function action(pool, server) {
    const cell = make('td');
    if (!mayChange || (server.state !== 'ejected' && !(pool.ejects && pool.servers.length > 1))) return cell;
    const path = server.state === 'ejected' ? 'restore' : 'eject';
    const button = make('button', {type: 'button', class: 'small', id: path + ' ' + pool.name + ' ' + server.server,
      'aria-label': path + ' ' + server.server + ' of pool ' + pool.name}, path === 'eject' ? 'Eject' : 'Restore');
    button.onclick = () => change(path + '?' + new URLSearchParams({pool: pool.name, server: server.server}),
      path === 'eject' ? 'Eject ' + server.server + ' from pool ' + pool.name + ' until someone restores it?' : null);
    cell.append(button);
    return cell;
  }

  /** A part of the page is made anew: who was at a button of it still is. */
  function keepFocus(part, draw) {
    const at = part.contains(document.activeElement) ? document.activeElement.id : '';
    draw();
    if (at) document.getElementById(at)?.focus();
  }

  // --- routing --------------------------------------------------------------------------------

  function routing(routes, listening, pools) {
    const nodes = [], links = [], rows = [];
    const rate = (metric, labels) => { const r = read.rate(metric, labels); return Number.isNaN(r) ? '–' : show.rate(r); };
    const reached = new Set(routes.flatMap(r => r.rules.flatMap(rule => rule.pools)));
    for (const l of listening) {
      nodes.push({id: 'l ' + l.name, column: 0, title: l.name, note: rate('sluice_requests_total', {listener: l.name})});
      links.push({from: 'l ' + l.name, to: 'r ' + l.route});
    }
    for (const route of routes) {
      nodes.push({id: 'r ' + route.name, column: 1, title: route.name, note: route.rules.length + (route.rules.length === 1 ? ' rule' : ' rules')});
      route.rules.forEach((rule, i) => {
        const id = 'u ' + route.name + ' ' + i;
        const labels = {route: route.name, rule: String(i)};
        const p99 = read.sum('sluice_rule_request_time_quantile_seconds', {...labels, quantile: '0.99'});
        nodes.push({id, column: 2, title: i + '. ' + rule.match, state: rule.reject === null ? '' : 'rejects',
          note: [rate('sluice_rule_matches_total', labels), Number.isNaN(p99) ? '' : 'p99 ' + show.seconds(p99), ...rule.policies].filter(Boolean).join(', ')});
        links.push({from: 'r ' + route.name, to: id});
        rule.pools.forEach(pool => links.push({from: id, to: 'p ' + pool, dashed: pool !== rule.pool}));
        const time = q => number('sum', 'sluice_rule_request_time_quantile_seconds', {...labels, quantile: q}, 'seconds');
        rows.push(row(route.name, make('td', {class: 'n'}, String(i)), make('td', {class: 'why'}, rule.match),
          rule.reject === null ? rule.pools.join(', ') : 'rejects: ' + rule.reject, rule.policies.join(', '),
          number('rate', 'sluice_rule_matches_total', labels, 'rate'), number('sum', 'sluice_rule_matches_total', labels, 'count'), time('0.5'), time('0.99')));
      });
    }
    for (const pool of pools) {
      if (!reached.has(pool.name)) continue;
      nodes.push({id: 'p ' + pool.name, column: 3, title: pool.name, note: pool.protocol});
      for (const server of pool.servers) {
        const id = 's ' + pool.name + ' ' + server.server;
        nodes.push({id, column: 4, title: server.server, state: GOOD[server.state] || '',
          note: server.state + (pool.protocol === 'embedded' ? '' : ', ' + rate('sluice_server_time_seconds_count', {pool: pool.name, server: server.server}))});
        links.push({from: 'p ' + pool.name, to: id});
      }
    }
    Graph.draw($('graph'), nodes, links);
    $('rules').replaceChildren(head('route', '#rule', 'matches', 'pools', 'policies', '#keys', '#total', '#p50', '#p99'), ...rows);
  }

  // --- policies -------------------------------------------------------------------------------

  const nothing = text => make('p', {class: 'quiet'}, text);
  const table = (...rows) => scrollable(make('div', {class: 'wide'}, make('table', {}, ...rows)), rows[0].firstElementChild.textContent);

  function scrollable(part, label) {
    part.tabIndex = 0;
    part.setAttribute('role', 'region');
    part.setAttribute('aria-label', label);
    return part;
  }

  /** A row for each pool, a column for each result. */
  function results(metric, first) {
    const found = values(metric, 'result');
    return found.length === 0 ? null : table(head(first, ...found.map(r => '#' + r.replace('_', ' '))),
      ...values(metric, 'pool').map(pool => row(pool, ...found.map(result => number('sum', metric, {pool, result}, 'count')))));
  }

  function policies() {
    const parts = [];
    const near = values('sluice_near_cache_requests_total', 'pool');
    if (near.length > 0) {
      parts.push(table(head('near cache of', '#hit ratio', '#hits', '#misses', '#shared', '#stored', '#evicted'), ...near.map(pool => {
        const of = result => number('sum', 'sluice_near_cache_requests_total', {pool, result}, 'count');
        return row(pool, ratio('sluice_near_cache_requests_total', [{pool, result: 'hit'}], 'sluice_near_cache_requests_total', [{pool}]),
          of('hit'), of('miss'), of('shared'), number('sum', 'sluice_near_cache_kept_total', {pool}, 'count'), number('sum', 'sluice_near_cache_evictions_total', {pool}, 'count'));
      })));
    }
    const limits = Metrics.samples(last.metrics, 'sluice_limited_requests_total');
    if (limits.length > 0) {
      parts.push(table(head('limit of route', '#rule', '#over the limit', '#now'), ...limits.map(({labels}) => row(labels.route,
        make('td', {class: 'n'}, labels.rule), number('sum', 'sluice_limited_requests_total', labels, 'count'), number('rate', 'sluice_limited_requests_total', labels, 'rate')))));
    }
    $('near').replaceChildren(...(parts.length > 0 ? parts : [nothing('No rule has a near cache or a limit.')]));
    const copies = [results('sluice_shadow_requests_total', 'shadow'), results('sluice_hedged_requests_total', 'hedged reads')].filter(Boolean);
    const retries = values('sluice_retried_requests_total', 'pool');
    if (retries.length > 0) {
      copies.push(table(head('retries of pool', '#retried', '#now'), ...retries.map(pool => row(pool,
        number('sum', 'sluice_retried_requests_total', {pool}, 'count'), number('rate', 'sluice_retried_requests_total', {pool}, 'rate')))));
    }
    $('copies').replaceChildren(...(copies.length > 0 ? copies : [nothing('No rule copies requests, no pool retries them.')]));
  }

  // --- the configuration ----------------------------------------------------------------------

  const date = text => text.slice(0, 19).replace('T', ' ') + ' UTC';

  function configuration(status, pools) {
    const applied = number('sum', 'sluice_reloads_total', {result: 'applied'}, 'count');
    const refused = number('sum', 'sluice_reloads_total', {result: 'refused'}, 'count');
    $('reloads').replaceChildren(status.file === null ? 'Started without a file. ' : 'File ' + status.file + '. ',
      status.problems.length > 0 ? make('b', {class: 'bad'}, 'The changed file was refused; the previous configuration is in use. ') : '',
      status.reloaded === null ? 'Not reloaded since the start. ' : 'Last read ' + date(status.reloaded) + '. ', 'Reloads: ', applied, ' applied, ', refused, ' refused.');
    const found = pools.filter(p => p.discovery);
    $('discovery').replaceChildren(...(found.length === 0 ? [] : [head('pool', 'discovery', 'last answer', 'problem', '#changed', '#refused or failed')]), ...found.map(p => row(p.name, p.discovery.from,
      p.discovery.answered === null ? 'none' : date(p.discovery.answered), make('td', {class: 'why'}, p.discovery.problem || p.discovery.remark),
      number('sum', 'sluice_discoveries_total', {pool: p.name, result: 'changed'}, 'count'),
      make('td', {class: 'n'}, show.count(['refused', 'failed'].reduce((sum, result) => sum + (read.sum('sluice_discoveries_total', {pool: p.name, result}) || 0), 0))))));
    $('certificates').replaceChildren(...(status.certificates.length === 0 ? [] : [head('certificate of', 'file', 'subject', 'expires', '#days left')]), ...status.certificates.map(c => {
      const days = Math.floor((Date.parse(c.expires) - Date.now()) / 86400000);
      return row(c.usedBy, c.file, make('td', {class: 'why'}, c.subject), date(c.expires), make('td', {class: 'n ' + (days < 7 ? 'bad' : days < 30 ? 'warn' : '')}, String(days)));
    }));
  }

  function commands() {
    const outcomes = values('sluice_requests_total', 'outcome');
    $('commands').replaceChildren(head('command', '#rate', ...outcomes.map(o => '#' + o.replace('_', ' '))),
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
    $('compression').replaceChildren(head('', '#before', '#after', '#ratio'),
      row('written', stage('plain'), stage('stored'), part('stored', 'plain')),
      row('read', stage('restored'), stage('read'), part('read', 'restored')),
      row('incompressible', stage('passed'), make('td'), make('td')));
  }

  function loops() {
    $('loops').replaceChildren(head('loop', '#CPU', '#lag p50', '#lag p99'),
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
    $('links').replaceChildren(head('verb', '#in', '#in, total', '#out, total'), ...verbs.map(verb =>
      row(verb, number('rate', 'sluice_internode_messages_total', {verb, direction: 'in'}, 'rate'),
        number('sum', 'sluice_internode_messages_total', {verb, direction: 'in'}, 'count'),
        number('sum', 'sluice_internode_messages_total', {verb, direction: 'out'}, 'count'))));
  }

  // --- history --------------------------------------------------------------------------------

  let past = null;
  let pastAt = -Infinity;
  const charts = [
    Charts.make('Requests per second', [{name: 'requests', key: 'requests'}, {name: 'misses', key: 'misses'}, {name: 'errors', key: 'errors'}], show.rate),
    Charts.make('Gateway latency', [{name: 'p50', key: 'gatewayP50'}, {name: 'p99', key: 'gatewayP99'}], show.seconds),
    Charts.make('Request time', [{name: 'p50', key: 'requestP50'}, {name: 'p99', key: 'requestP99'}], show.seconds),
    Charts.make('Client traffic', [{name: 'received', key: 'bytesIn'}, {name: 'sent', key: 'bytesOut'}], show.byteRate, 1024),
  ];
  $('charts').append(...charts.map(chart => chart.figure));

  const range = () => Number(document.querySelector('input[name=range]:checked').value);

  async function history(anyway) {
    if (!anyway && performance.now() - pastAt < HISTORY_MILLIS) return;
    pastAt = performance.now();
    const seconds = range();
    past = await json('history?seconds=' + seconds);
    charts.forEach(chart => chart.draw(past, seconds));
    document.body.dataset.samples = past.times.length;
  }

  $('ranges').onchange = () => history(true).catch(failure => complain(failure.message));

  // --- live -----------------------------------------------------------------------------------

  let live = true;
  let timer;

  const json = path => fetch(path).then(answer => answer.json());

  async function tick() {
    clearTimeout(timer);
    try {
      const [text, ready, pools, listening, keys, status, routes] = await Promise.all(
        [fetch('metrics').then(answer => answer.text()), json('ready'), json('pools'), json('listeners'), json('hot-keys'), json('status'), json('routes'), history(false)]);
      if (!live) return;
      before = last;
      last = {at: performance.now(), text, metrics: Metrics.parse(text)};
      $('phase').textContent = ready.phase + (ready.ready ? '' : ', not ready');
      $('phase').className = 'pill ' + (ready.ready ? 'good' : 'bad');
      $('since').replaceChildren('up ', number('sum', 'process_uptime_seconds', {}, 'uptime'));
      const refused = ready.configurationProblems;
      const trouble = ready.unusableRoutes.map(r => 'route ' + r.route + ': ' + r.why);
      if (refused.length > 0) trouble.push('The changed file was refused; the previous configuration is in use: ' + refused.join('; '));
      complain(trouble.join('; '));
      identify(status, ready);
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
      routing(routes, listening, pools);
      policies();
      configuration(status, pools);
      questions(listening);
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

  // What may have to be scrolled can be scrolled with the keyboard, too.
  for (const part of document.querySelectorAll('.wide:not(#graph)')) {
    scrollable(part, part.closest('section > div:not(.wide), section').querySelector('h2').textContent + ': ' + part.firstElementChild.id);
  }

  function complain(text) {
    $('trouble').textContent = text;
    $('trouble').hidden = text === '';
  }

  $('live').onclick = () => {
    live = !live;
    $('live').textContent = live ? 'Pause' : 'Resume';
    $('live').setAttribute('aria-pressed', String(!live));
    if (live) tick();
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else if (live) tick();
  });

  // --- who it is, and what may be changed -----------------------------------------------------

  let mayChange = false;

  function identify(status, ready) {
    const name = status.file === null ? '' : status.file.split('/').pop();
    document.title = (ready.ready ? '' : '! ') + 'Sluice ' + status.version + (name ? ' – ' + name : '');
    $('version').textContent = status.version;
    $('file').textContent = status.file === null ? 'no configuration file' : status.file;
    mayChange = status.mayChange !== 'no';
    $('reload').hidden = !mayChange || status.file === null;
    $('drain').hidden = !mayChange || ready.phase === 'draining';
  }

  /** Asks first, if there is a question; says what came of it. */
  async function change(path, question) {
    if (question !== null && !window.confirm(question)) return;
    try {
      const answer = await fetch(path, {method: 'POST'});
      const body = await answer.json();
      const what = path.replace(/\?.*/, '');
      say(answer.ok ? what + ': done' : what + ' was refused: ' + (body.error || (body.problems || []).join('; ')));
      if (live) tick();
    } catch (failure) {
      say(path + ' failed: ' + failure.message);
    }
  }

  function say(text) {
    $('said').textContent = text;
    $('said').hidden = false;
  }

  $('reload').onclick = () => change('reload', null);
  $('drain').onclick = () => change('drain', 'Drain? The gateway accepts no new clients, finishes its requests and stops.');

  // --- explain --------------------------------------------------------------------------------

  function questions(listening) {
    const names = listening.filter(l => l.protocol !== 'internode').map(l => l.name);
    if ([...$('explain-listener').options].map(o => o.value).join() !== names.join()) {
      $('explain-listener').replaceChildren(...names.map(name => make('option', {}, name)));
    }
  }

  $('explain').onsubmit = async submitted => {
    submitted.preventDefault();
    try {
      const answer = await fetch('explain?' + new URLSearchParams({listener: $('explain-listener').value, command: $('explain-command').value, key: $('explain-key').value}));
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error);
      const list = make('dl');
      const add = (name, value) => value && list.append(make('dt', {}, name), make('dd', {}, value));
      add('rule', body.rule);
      add('key at the server', body.key);
      add('pool', body.pool);
      add('server', body.server);
      add('fallbacks', body.fallbacks.join(', '));
      $('explained').replaceChildren(list, make('ul', {}, ...body.why.map(why => make('li', {}, why))));
    } catch (failure) {
      $('explained').replaceChildren(make('p', {class: 'bad'}, failure.message));
    }
  };

  $('effective').ontoggle = async () => {
    if ($('effective').open) $('yaml').textContent = await fetch('config').then(answer => answer.text());
  };

  // --- profiles -------------------------------------------------------------------------------

  /** Flame graphs are drawn for a light page; hues stay when lightness is turned round. */
  const DARK_FLAMES = '<style>@media (prefers-color-scheme: dark) { html { background: #fff; filter: invert(.9) hue-rotate(180deg); } }</style>';

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
      const text = await answer.text();
      const graph = new Blob([text.replace('</head>', DARK_FLAMES + '</head>')], {type: 'text/html'});
      const address = URL.createObjectURL(graph);
      const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition'))[1];
      $('flames').src = address;
      $('flames').hidden = false;
      // Flames stand on the bottom: with less room than they want, only their tips would be seen.
      const height = /#canvas \{[^}]*height: (\d+)px/.exec(text);
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
