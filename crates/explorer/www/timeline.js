// @ts-check
// The run as a list of which only what is to be seen exists, and as lanes of threads. Rows are asked for in blocks.
import { byId, call, element } from './dom.js';

const HEIGHT = 22;
const BLOCK = 200;
const SVG = 'http://www.w3.org/2000/svg';

export class Timeline {
  /** @param {(position: number) => void} go */
  constructor(go) {
    this.go = go;
    /** @type {number[]} */
    this.nodes = [0];
    this.position = 0;
    /** @type {number | null} */
    this.cycle = null;
    /** @type {Map<number, any>} rows by the position that they lead to */
    this.rows = new Map();
    this.asked = new Set();
    /** @type {number[] | null} positions that the filter lets through */
    this.filtered = null;
    this.turn = 0;
    byId('rows').addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(byId('rows'));
    byId('rows-inner').addEventListener('click', (/** @type {MouseEvent} */ event) => {
      const row = /** @type {HTMLElement} */ (event.target).closest('[data-at]');
      if (row) this.go(Number(row.getAttribute('data-at')));
    });
  }

  /** @param {number[]} nodes @param {number} position @param {number | null} cycle */
  show(nodes, position, cycle) {
    const kept = this.nodes.findIndex((node, at) => nodes[at] !== node);
    const same = kept < 0 ? Math.min(this.nodes.length, nodes.length) : kept;
    for (const at of Array.from(this.rows.keys())) if (at >= same) this.rows.delete(at);
    if (same < this.nodes.length || nodes.length !== this.nodes.length) {
      this.asked.clear();
      this.filtered = null;
      this.turn += 1;
    }
    [this.nodes, this.position, this.cycle] = [nodes, position, cycle];
    const scrub = byId('scrub');
    [scrub.max, scrub.value] = [String(nodes.length - 1), String(position)];
    scrub.setAttribute('aria-valuetext', `step ${position} of ${nodes.length - 1}`);
    this.reveal();
    this.draw();
  }

  positions() {
    return this.filtered ?? null;
  }

  count() {
    return this.filtered ? this.filtered.length : this.nodes.length;
  }

  /** @param {number} index */
  at(index) {
    return this.filtered ? this.filtered[index] : index;
  }

  reveal() {
    const box = byId('rows');
    const index = this.filtered ? this.filtered.indexOf(this.position) : this.position;
    if (index < 0) return;
    const top = index * HEIGHT;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top + HEIGHT - box.clientHeight;
  }

  draw() {
    const box = byId('rows');
    const inner = byId('rows-inner');
    inner.style.setProperty('height', `${this.count() * HEIGHT}px`);
    const first = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - 5);
    const last = Math.min(this.count(), first + Math.ceil(box.clientHeight / HEIGHT) + 10);
    const shown = [];
    for (let index = first; index < last; index += 1) shown.push(this.row(index));
    inner.replaceChildren(...shown);
    this.lanes(this.at(first) ?? 0, this.at(last - 1) ?? 0);
  }

  /** @param {number} index */
  row(index) {
    const at = this.at(index);
    const here = at === this.position;
    const inCycle = this.cycle !== null && at > this.cycle;
    const made = element('div', {
      class: `${here ? 'here' : 'row'}${inCycle ? ' cycle' : ''}`, 'data-at': String(at), role: 'option', 'aria-selected': String(here),
    });
    made.style.setProperty('top', `${index * HEIGHT}px`);
    made.append(element('span', { class: 'number' }, at === 0 ? '' : String(at)));
    if (at === 0) {
      made.append('the initial state');
      return made;
    }
    const row = this.rows.get(at);
    if (!row) {
      made.append('…');
      this.load(at);
      return made;
    }
    made.append(element('span', { class: 'who' }, row.thread), ' ', row.text);
    if (row.changes.length > 0) made.append(element('span', { class: 'quiet' }, `   ${row.changes.join(', ')}`));
    return made;
  }

  /** @param {number} at */
  async load(at) {
    const block = Math.floor((at - 1) / BLOCK);
    if (this.asked.has(block)) return;
    this.asked.add(block);
    const turn = this.turn;
    const [from, to] = [block * BLOCK, Math.min(this.nodes.length - 1, (block + 1) * BLOCK)];
    const rows = await call('rows', { nodes: this.nodes.slice(from, to + 1) }).catch(() => []);
    if (turn !== this.turn) return;
    rows.forEach((/** @type {any} */ row, /** @type {number} */ index) => this.rows.set(from + index + 1, row));
    this.draw();
  }

  /** @param {string} text */
  async filter(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') {
      this.filtered = null;
    } else {
      for (let at = 1; at < this.nodes.length; at += BLOCK) await this.load(at);
      const fits = (/** @type {any} */ row) => `${row.thread} ${row.text} ${row.changes.join(' ')}`.toLowerCase().includes(wanted);
      this.filtered = [];
      for (let at = 1; at < this.nodes.length; at += 1) {
        const row = this.rows.get(at);
        if (row && fits(row)) this.filtered.push(at);
      }
    }
    byId('rows').scrollTop = 0;
    this.reveal();
    this.draw();
  }

  /** Lanes of the part that is to be seen. @param {number} from @param {number} to */
  lanes(from, to) {
    const names = Array.from(new Set(Array.from(this.rows.values()).map((row) => row.thread))).sort();
    const box = byId('lanes');
    const width = box.clientWidth || 800;
    const height = names.length * 14;
    const svg = document.createElementNS(SVG, 'svg');
    const set = (/** @type {Element} */ made, /** @type {Record<string, string | number>} */ attributes) => {
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
      return made;
    };
    set(svg, { class: 'q', width, height: Math.min(height, 168), viewBox: `0 0 ${width} ${Math.min(height, 168)}` });
    const left = 130;
    const step = Math.min(24, (width - left) / Math.max(1, to - from + 1));
    names.slice(0, 12).forEach((name, lane) => {
      const label = set(document.createElementNS(SVG, 'text'), { x: 0, y: lane * 14 + 11, class: 's' });
      label.textContent = name.length > 18 ? `${name.slice(0, 17)}…` : name;
      svg.append(label);
      for (let at = Math.max(1, from); at <= to; at += 1) {
        if (this.rows.get(at)?.thread !== name) continue;
        const mark = { x: left + (at - from) * step, y: lane * 14 + 3, width: Math.max(1, step - 1), height: 9 };
        svg.append(set(document.createElementNS(SVG, 'rect'), { ...mark, class: at === this.position ? 't-link' : 'dot', rx: 2 }));
      }
    });
    box.replaceChildren(svg);
  }
}
