// @ts-check
// The page: one run, one position on it, one graph of visited states. The address has the run, so that a page that is
// loaded again shows what it showed.
import { announce, ask, byId, call, element, picture, trouble } from './dom.js';
import { Source, steps, values } from './panes.js';
import { Timeline } from './timeline.js';

/** @type {number[]} */
let run = [0];
let position = 0;
/** @type {number | null} */
let cycle = null;
/** @type {Set<number>} */
const visited = new Set([0]);
/** @type {Source} */
let source;
/** @type {number | null} */
let kept = null;
/** @type {number | undefined} */
let playing;
let asked = 0;

const timeline = new Timeline((at) => guarded(() => go(at)));

/** Runs something, and shows why it fails if it does. @param {() => Promise<void>} work */
async function guarded(work) {
  try {
    await work();
    trouble(null);
  } catch (error) {
    trouble(error instanceof Error ? error.message : String(error));
  }
}

/** Goes to a position of the run. @param {number} at */
async function go(at) {
  position = Math.max(0, Math.min(run.length - 1, at));
  asked += 1;
  const turn = asked;
  const node = run[position];
  const before = position > 0 ? run[position - 1] : null;
  timeline.show(run, position, cycle);
  const state = await call('state', { node, before });
  // While somebody scrubs, only the last position counts.
  if (turn !== asked) return;
  visited.add(node);
  steps(state, (index) => guarded(() => take(index)));
  values(state);
  source.show(state);
  const last = run.length - 1;
  byId('where').textContent = `state s${node}, step ${position} of ${last}${cycle === null ? '' : `, repeated from step ${cycle} on`}`;
  byId('back').disabled = position === 0;
  byId('forth').disabled = position === last && cycle === null;
  const count = state.steps.length === 1 ? '1 step' : `${state.steps.length} steps`;
  announce(`state ${node}, ${count}${state.wrong === null ? '' : `, ${state.wrong}`}`);
  remember();
  await drawGraph();
  if (kept !== null) await compare();
}

/** Keeps the place in the address. Long runs are kept by the way to their state. */
function remember() {
  const nodes = run.length <= 400 ? run.join('.') : '';
  const text = nodes === '' ? `at=${run[position]}` : `run=${nodes}&at=${position}${cycle === null ? '' : `&cycle=${cycle}`}`;
  history.replaceState(null, '', `#${text}`);
}

/** Takes a step of the state. @param {number} index */
async function take(index) {
  const answer = await call('take', { node: run[position], step: index });
  if (answer.fault !== undefined) {
    trouble(`This step faults: ${answer.fault}`);
    announce(`this step faults: ${answer.fault}`);
    return;
  }
  follow([...run.slice(0, position + 1), answer.node], position + 1, null);
  await go(position);
}

/** @param {number[]} nodes @param {number} at @param {number | null} from */
function follow(nodes, at, from) {
  [run, position, cycle] = [nodes, at, from];
  // What is drawn stays small: of a long run, its end.
  nodes.slice(-150).forEach((node) => visited.add(node));
}

async function random() {
  const answer = await call('random', { node: run[position], steps: 10, seed: Math.floor(Math.random() * 2 ** 48) });
  follow([...run.slice(0, position + 1), ...answer.nodes.slice(1)], position + answer.nodes.length - 1, null);
  await go(position);
  if (answer.fault !== null) trouble(`The next step faults: ${answer.fault}`);
}

async function forth() {
  // A run that is repeated for ever goes on where its cycle begins.
  if (position === run.length - 1 && cycle !== null) await go(Math.min(cycle + 1, run.length - 1));
  else await go(position + 1);
}

async function expand() {
  const answer = await call('expand', { node: run[position] });
  answer.nodes.forEach((/** @type {number} */ node) => visited.add(node));
  await drawGraph();
  announce(`${answer.nodes.length} next states`);
}

async function drawGraph() {
  const nodes = Array.from(visited).slice(-1500);
  const answer = await call('graph', { nodes, here: run[position] });
  picture(byId('graph'), answer.picture);
  byId('graph-count').textContent = `${visited.size} visited`;
  const list = nodes.slice(-50).map((node) => {
    const button = element('button', {}, `s${node}`);
    button.addEventListener('click', () => guarded(() => visit(node)));
    return element('li', {}, button);
  });
  byId('graph-list').replaceChildren(...list);
  const here = byId('graph').querySelector('.here');
  const figure = byId('graph');
  if (here) {
    const [inner, outer] = [here.getBoundingClientRect(), figure.getBoundingClientRect()];
    figure.scrollLeft += inner.left - outer.left - outer.width / 2;
    figure.scrollTop += inner.top - outer.top - outer.height / 2;
  }
}

/** Goes to a state of the graph: on the run if it is there, by the first way to it otherwise. @param {number} node */
async function visit(node) {
  const known = run.indexOf(node);
  if (known < 0) {
    const answer = await call('path', { node });
    follow(answer.nodes, answer.nodes.length - 1, null);
    await go(position);
  } else {
    await go(known);
  }
}

async function compare() {
  if (kept === null) return;
  const right = run[position];
  const answer = await call('diff', { left: kept, right });
  byId('pane-diff').hidden = false;
  byId('h-diff').textContent = `Comparison of s${kept} (left) and s${right} (right)`;
  const lines = answer.differences.length === 0 ? ['no differences'] : answer.differences;
  byId('diff-list').replaceChildren(...lines.map((/** @type {string} */ line) => element('li', {}, line)));
  picture(byId('diff-left'), answer.left);
  picture(byId('diff-right'), answer.right);
}

async function orbit() {
  const node = run[position];
  const answer = await call('orbit', { nodes: Array.from(visited), node });
  const others = answer.nodes.filter((/** @type {number} */ other) => other !== node);
  const text = others.length === 0
    ? `Of the ${visited.size} visited states, no other one differs from s${node} in names only.`
    : `s${node} is the same up to names as ${others.map((/** @type {number} */ other) => `s${other}`).join(', ')}.`;
  result('doubt', text, null);
}

/** @param {string} tone @param {string} text @param {(() => Promise<void>) | null} open */
function result(tone, text, open) {
  const item = element('li', {}, element('span', { class: tone }, text));
  if (open) {
    const button = element('button', {}, 'Show the run');
    button.addEventListener('click', () => guarded(open));
    item.append(' ', button);
  }
  byId('results').prepend(item);
  announce(text);
}

/** @param {any} event */
function happened(event) {
  if (event.event === 'started') {
    byId('stop').disabled = false;
    byId('progress').textContent = 'searching …';
  } else if (event.event === 'progress') {
    const { states, depth, bytes, seconds } = event.progress;
    const rest = depth === undefined ? '' : `, depth ${depth}, ${(bytes / 1048576).toFixed(1)} MiB, ${seconds.toFixed(1)} s`;
    byId('progress').textContent = `${states} states${rest}`;
  } else if (event.event === 'done') {
    byId('stop').disabled = true;
    byId('progress').textContent = '';
    const { outcome, run: found } = event;
    const figures = outcome.states === undefined ? '' : ` (${outcome.states} states, ${outcome.seconds.toFixed(1)} s)`;
    const open = found ? () => open_run(found) : null;
    result(outcome.tone, `${outcome.verdict === '' ? '' : `${outcome.verdict}: `}${outcome.sentence}${figures}`, open);
    if (open && mine) guarded(open);
    mine = false;
  } else if (event.event === 'failed') {
    byId('stop').disabled = true;
    byId('progress').textContent = '';
    mine = false;
    result('bad', event.error, null);
  }
}

/** Whether this page started the search that runs. */
let mine = false;

/** @param {any} found */
async function open_run(found) {
  follow(found.nodes, found.nodes.length - 1, found.cycle);
  await go(position);
  if (found.fault !== null) trouble(`The next step is what is wrong: ${found.fault}`);
}

/** @param {object} job */
async function start(job) {
  mine = true;
  try {
    await ask('/api/job', job);
  } catch (error) {
    mine = false;
    throw error;
  }
}

function play() {
  const button = byId('play');
  if (playing !== undefined) {
    clearInterval(playing);
    playing = undefined;
  } else {
    playing = setInterval(() => {
      if (position === run.length - 1 && cycle === null) play();
      else guarded(forth);
    }, 700);
  }
  button.setAttribute('aria-pressed', String(playing !== undefined));
  button.textContent = playing === undefined ? 'Play' : 'Pause';
}

async function save() {
  const answer = await call('trail', { nodes: run });
  const link = element('a', { href: URL.createObjectURL(new Blob([answer.trail], { type: 'application/json' })), download: 'run.trail.json' });
  link.click();
}

async function chart() {
  const figure = byId('chart');
  figure.hidden = !figure.hidden;
  byId('show-chart').setAttribute('aria-expanded', String(!figure.hidden));
  if (!figure.hidden) picture(figure, (await call('chart', { nodes: run.slice(0, 5000) })).picture);
}

function help() {
  const box = byId('help');
  box.hidden = !box.hidden;
  byId('help-button').setAttribute('aria-expanded', String(!box.hidden));
}

function keep() {
  kept = run[position];
  guarded(compare);
}

/** @type {Record<string, () => Promise<void> | void>} */
const KEYS = {
  n: forth, p: () => go(position - 1), Home: () => go(0), End: () => go(run.length - 1), r: random, e: expand,
  c: () => byId('changed-only').click(), g: () => byId('condition').focus(), '/': () => byId('filter').focus(), b: keep, '?': help,
};

function listen() {
  const on = (/** @type {string} */ id, /** @type {() => Promise<void> | void} */ work) => {
    byId(id).addEventListener('click', () => guarded(async () => work()));
  };
  on('back', () => go(position - 1));
  on('forth', forth);
  on('restart', () => go(0));
  on('random', random);
  on('expand', expand);
  on('forget', () => { visited.clear(); run.slice(-150).forEach((node) => visited.add(node)); return drawGraph(); });
  on('keep', keep);
  on('orbit', orbit);
  on('play', play);
  on('save', save);
  on('show-chart', chart);
  on('help-button', help);
  on('stop', async () => { await ask('/api/stop', {}); });
  byId('scrub').addEventListener('input', () => guarded(() => go(Number(byId('scrub').value))));
  byId('filter').addEventListener('input', () => guarded(() => timeline.filter(byId('filter').value)));
  byId('changed-only').addEventListener('change', () => document.body.classList.toggle('changed-only', byId('changed-only').checked));
  byId('goal').addEventListener('change', () => { byId('formula').hidden = byId('goal').value !== 'formula'; });
  byId('check-form').addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    const goal = byId('goal').value;
    const property = goal.startsWith('p:') ? goal.slice(2) : null;
    const formula = goal === 'formula' ? byId('formula').value : null;
    guarded(() => start({ job: 'check', property, formula, safety: goal === 'safety' }));
  });
  byId('find-form').addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    guarded(() => start({ job: 'find', condition: byId('condition').value, node: run[position] }));
  });
  byId('graph').addEventListener('click', (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.target).closest('[data-key^="s"]');
    const number = Number((box?.getAttribute('data-key') ?? '').slice(1));
    if (box && Number.isInteger(number)) guarded(() => visit(number));
  });
  document.addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.matches('input, select, textarea')) return;
    if (event.key >= '1' && event.key <= '9') guarded(() => take(Number(event.key) - 1));
    else if (KEYS[event.key]) {
      const work = KEYS[event.key];
      event.preventDefault();
      guarded(async () => work());
    }
  });
}

function streams() {
  const events = new EventSource('/api/events');
  events.onmessage = (message) => happened(JSON.parse(message.data));
  events.onopen = () => trouble(null);
  events.onerror = () => trouble('The explorer does not answer. If it was ended, start it again and open its new address.');
}

async function begin() {
  const about = await call('about');
  byId('model').textContent = about.model;
  document.title = `${about.model} – Quotient`;
  source = new Source(about.files);
  const goals = [['all', 'everything'], ['safety', 'deadlocks, assertions, invariants, faults'],
    ...about.properties.map((/** @type {string} */ name) => [`p:${name}`, name]), ['formula', 'a formula …']];
  byId('goal').replaceChildren(...goals.map(([value, text]) => element('option', { value }, text)));
  listen();
  streams();
  const place = new URLSearchParams(location.hash.slice(1));
  const nodes = (place.get('run') ?? '').split('.').filter((text) => text !== '').map(Number);
  if (nodes.length > 0) follow(nodes, Number(place.get('at') ?? 0), place.has('cycle') ? Number(place.get('cycle')) : null);
  else if (place.has('at')) {
    const answer = await call('path', { node: Number(place.get('at')) });
    follow(answer.nodes, answer.nodes.length - 1, null);
  } else if (about.run !== null) follow(about.run.nodes, about.run.nodes.length - 1, null);
  await go(position).catch(() => { follow([0], 0, null); return go(0); });
  if (about.run?.fault && place.size === 0) trouble(`The next step is what is wrong: ${about.run.fault}`);
}

guarded(begin);
