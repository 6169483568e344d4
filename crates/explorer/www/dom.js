// @ts-check
// Elements are made here, and text enters them as text only. Pictures come as SVG that the server has escaped; they are
// built again from known elements and attributes, so that nothing else can get in.

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id);
}

const SVG = 'http://www.w3.org/2000/svg';
const ELEMENTS = new Set(['svg', 'g', 'rect', 'path', 'text', 'circle', 'line', 'title']);
const ATTRIBUTES = new Set(['class', 'width', 'height', 'viewBox', 'role', 'aria-label', 'transform', 'x', 'y', 'x1', 'x2',
  'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'd', 'data-key']);

/** @param {Element} from @returns {SVGElement | null} */
function copy(from) {
  if (!ELEMENTS.has(from.localName)) return null;
  const made = document.createElementNS(SVG, from.localName);
  for (const { name, value } of Array.from(from.attributes)) {
    if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  }
  for (const child of Array.from(from.childNodes)) {
    if (child.nodeType === Node.TEXT_NODE) made.append(document.createTextNode(child.textContent ?? ''));
    else if (child instanceof Element) {
      const inner = copy(child);
      if (inner) made.append(inner);
    }
  }
  return made;
}

/** @param {HTMLElement} figure @param {string} svg */
export function picture(figure, svg) {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const made = copy(root);
  figure.replaceChildren(...(made ? [made] : []));
}

/** @param {string} text */
export function announce(text) {
  byId('live').textContent = text;
}

/** @param {string | null} text */
export function trouble(text) {
  byId('trouble').hidden = text === null;
  byId('trouble').textContent = text ?? '';
}

/**
 * Asks the server. What it refuses is thrown, with its reason.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function ask(path, body) {
  let response;
  try {
    response = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  } catch {
    throw new Error('The explorer does not answer. If it was ended, start it again and open its new address.');
  }
  if (response.status === 403) throw new Error('The explorer was started anew: open its new address.');
  if (response.status === 413) throw new Error('This run is too long for that.');
  const answer = await response.json().catch(() => ({ error: `no answer (${response.status})` }));
  if (!response.ok) throw new Error(answer.error ?? `no answer (${response.status})`);
  return answer;
}

/** @param {string} call @param {object} rest */
export function call(call, rest = {}) {
  return ask('/api/call', { call, ...rest });
}
