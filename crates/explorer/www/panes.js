// @ts-check
// What the panes show of a state.
import { byId, element, picture } from './dom.js';

/** @param {any} state @param {(index: number) => void} take */
export function steps(state, take) {
  const wrong = byId('wrong');
  wrong.hidden = state.wrong === null;
  wrong.textContent = state.wrong === null ? '' : `✗ ${state.wrong}`;
  const items = state.steps.map((/** @type {any} */ step, /** @type {number} */ index) => {
    const test = step.test === null ? '' : step.test ? ' → true' : ' → false';
    const button = element('button', { 'data-step': String(index) },
      element('span', { class: 'quiet' }, `${index + 1}  `),
      element('span', { class: 'who' }, step.partner === null ? step.thread : `${step.thread} with ${step.partner}`), '  ',
      element('code', {}, `${step.text}${test}`));
    if (step.faults) button.append(element('span', { class: 'bad' }, '  ✗ faults'));
    if (step.reads.length > 0) button.append(element('span', { class: 'quiet' }, `  (${step.reads.join(', ')})`));
    button.addEventListener('click', () => take(index));
    return element('li', {}, button);
  });
  if (items.length === 0) items.push(element('li', { class: 'quiet' }, 'No thread can move.'));
  byId('steps').replaceChildren(...items);
  byId('threads').replaceChildren(...state.threads.map((/** @type {any} */ thread) => {
    const place = thread.place === null ? '' : ` at line ${thread.place.line}`;
    return element('li', {}, element('span', { class: 'who' }, thread.name), `${place}: `,
      element('span', { class: thread.moves > 0 ? 'good' : 'quiet' }, thread.why));
  }));
}

/** @param {any} state */
export function values(state) {
  byId('h-state').textContent = `State s${state.node}`;
  byId('differences').textContent = state.differences.length === 0 ? '' : `changed: ${state.differences.join(', ')}`;
  byId('values').replaceChildren(...state.parts.map((/** @type {any} */ part) => {
    const note = part.fate === 'made' ? ' (new)' : part.fate === 'ended' ? ' (ended)' : '';
    return element('div', { class: part.fate }, element('p', { class: 'name' }, element('b', {}, part.name + note)),
      ...part.fields.map((/** @type {any} */ field) => element('p', { class: field.changed ? 'changed' : 'same' }, field.text)));
  }));
  picture(byId('scene'), state.picture);
}

export class Source {
  /** @param {any[]} files */
  constructor(files) {
    this.files = files;
    /** @type {any} */
    this.state = null;
    const select = byId('file');
    select.replaceChildren(...files.map((file) => element('option', { value: file.name }, file.name)));
    select.hidden = files.length < 2;
    select.addEventListener('change', () => this.draw());
  }

  /** @param {any} state */
  show(state) {
    this.state = state;
    const select = byId('file');
    const files = state.threads.filter((/** @type {any} */ thread) => thread.place !== null).map((/** @type {any} */ thread) => thread.place.file);
    if (files.length > 0 && !files.includes(select.value)) select.value = files[0];
    this.draw();
  }

  draw() {
    const file = this.files.find((one) => one.name === byId('file').value) ?? this.files[0];
    if (!file) return;
    /** @type {Map<number, string[]>} */
    const threads = new Map();
    for (const thread of this.state?.threads ?? []) {
      if (thread.place?.file !== file.name) continue;
      threads.set(thread.place.line, [...(threads.get(thread.place.line) ?? []), thread.name]);
    }
    /** @type {HTMLElement | null} */
    let first = null;
    const lines = file.lines.map((/** @type {string} */ text, /** @type {number} */ index) => {
      const here = threads.get(index + 1);
      const line = element('div', { class: here ? 'hit' : 'line' },
        element('span', { class: 'number' }, `${String(index + 1).padStart(4)} `), text === '' ? ' ' : text);
      if (here) {
        line.append(element('span', { class: 'note' }, `   ← ${here.join(', ')}`));
        first ??= line;
      }
      return line;
    });
    const box = byId('source');
    box.replaceChildren(...lines);
    const hit = /** @type {HTMLElement | null} */ (first);
    if (hit !== null) box.scrollTop = Math.max(0, hit.offsetTop - box.offsetTop - box.clientHeight / 3);
  }
}
