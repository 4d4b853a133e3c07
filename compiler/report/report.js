// What a report does beside being read: tables sort and filter, and the graph is drawn and folds. Without scripts all its text is there.
'use strict';

// A cell's value for sorting: its data-value if it has one, a number where both are numbers.
function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent;
  const number = Number(text);
  return text !== '' && !Number.isNaN(number) ? number : text;
}

function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  // Rows without a number come last in both directions of the others.
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a.localeCompare(b);
}

function sortBy(table, header, column) {
  const descending = header.getAttribute('aria-sort') === 'ascending';
  for (const other of table.tHead.rows[0].cells) other.setAttribute('aria-sort', 'none');
  header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => {
    const order = compare(valueOf(a, column), valueOf(b, column));
    return descending ? -order : order;
  });
  body.append(...rows);
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = header.textContent;
    button.addEventListener('click', () => sortBy(table, header, column));
    header.replaceChildren(button);
    header.setAttribute('aria-sort', 'none');
  });
}

function makeFilter(input) {
  const rows = document.getElementById(input.dataset.table).tBodies[0].rows;
  input.addEventListener('input', () => {
    const wanted = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// The graph: a row for each box, in the order in which layers run, and a lane for each result that later rows read.

// Folds `layers` into boxes {from: indices of layers, reads: indices of boxes}. Layers are in one box if each reads only the one before,
// which nobody else reads; boxes of `open` (their first layers' indices) stay apart.
function foldChains(layers, open) {
  const readers = layers.map(() => 0);
  for (const layer of layers) for (const p of layer.reads) ++readers[p];
  const boxOf = [];
  const boxes = [];
  layers.forEach((layer, i) => {
    const before = layer.reads.length === 1 ? layer.reads[0] : -1;
    const chained = before >= 0 && before === i - 1 && readers[before] === 1;
    const box = chained ? boxes[boxOf[before]] : null;
    if (box && !open.has(box.layers[0])) {
      box.layers.push(i);
      boxOf[i] = boxOf[before];
    } else {
      boxOf[i] = boxes.length;
      boxes.push({layers: [i], reads: []});
    }
    const own = boxes[boxOf[i]];
    for (const p of layer.reads) {
      if (boxOf[p] !== boxOf[i] && !own.reads.includes(boxOf[p])) own.reads.push(boxOf[p]);
    }
  });
  return boxes;
}

// Gives each box its lane: the lowest that no result still to be read occupies. Returns the number of lanes.
function placeLanes(boxes) {
  boxes.forEach((box, i) => { box.last = i; });
  boxes.forEach((box, i) => { for (const r of box.reads) boxes[r].last = i; });
  const busyUntil = [];
  boxes.forEach((box, i) => {
    let lane = 0;
    while (lane < busyUntil.length && busyUntil[lane] > i) ++lane;
    box.lane = lane;
    busyUntil[lane] = box.last;
  });
  return busyUntil.length;
}

const SVG = 'http://www.w3.org/2000/svg';
const ROW = 26;
const LANE = 16;
const LETTER = 8;  // wider than most

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function edgePath(from, to, boxes) {
  const x0 = 12 + boxes[from].lane * LANE, y0 = (from + 0.5) * ROW;
  const x1 = 12 + boxes[to].lane * LANE, y1 = (to + 0.5) * ROW;
  const bend = y1 - ROW * 0.9;
  return `M${x0} ${y0}V${Math.max(y0, bend)}C${x0} ${y1} ${x1} ${bend} ${x1} ${y1}`;
}

// That of the layer that takes the longest.
function colorOf(box, layers) {
  return box.layers.map((i) => layers[i]).reduce((a, b) => (b.ms > a.ms ? b : a)).engine;
}

function label(box, layers) {
  const first = layers[box.layers[0]];
  if (box.layers.length === 1) return `${first.kind}  ${first.name}`;
  const last = layers[box.layers[box.layers.length - 1]];
  return `${box.layers.length} layers  ${first.name} … ${last.name}`;
}

function milliseconds(box, layers) {
  return box.layers.reduce((sum, i) => sum + layers[i].ms, 0).toFixed(3) + ' ms';
}

class GraphPicture {
  constructor(root, layers) {
    this.root = root;
    this.layers = layers;
    this.open = new Set();
    this.draw();
  }

  openAll(all) {
    this.open = new Set(all ? this.layers.keys() : []);
    this.draw();
  }

  // Opens a folded box; leads from a single layer to its row of the table.
  choose(box) {
    if (box.layers.length === 1) {
      location.hash = 'layer' + box.layers[0];
      return;
    }
    for (const i of box.layers) this.open.add(i);
    this.draw();
  }

  draw() {
    const boxes = foldChains(this.layers, this.open);
    const width = 24 + placeLanes(boxes) * LANE;
    const longest = Math.max(...boxes.map((box) => label(box, this.layers).length));
    const svg = element('svg', {width: width + 100 + longest * LETTER, height: boxes.length * ROW, role: 'img', 'aria-label': 'graph of the layers'});
    boxes.forEach((box, i) => {
      for (const r of box.reads) svg.append(element('path', {class: 'edge', d: edgePath(r, i, boxes)}));
    });
    boxes.forEach((box, i) => svg.append(this.row(box, i, width)));
    this.root.replaceChildren(svg);
  }

  row(box, i, width) {
    const y = (i + 0.5) * ROW;
    const row = element('g', {class: 'row', tabindex: 0, role: 'button'});
    const fill = `fill: var(--e${colorOf(box, this.layers)})`;
    const x = 12 + box.lane * LANE;
    row.append(box.layers.length === 1 ? element('circle', {cx: x, cy: y, r: 6, style: fill})
                                       : element('rect', {x: x - 7, y: y - 7, width: 14, height: 14, rx: 3, style: fill}));
    row.append(element('text', {x: width, y: y + 4, class: 'dim'}, milliseconds(box, this.layers)));
    row.append(element('text', {x: width + 80, y: y + 4}, label(box, this.layers)));
    row.append(element('title', {}, box.layers.map((l) => `${this.layers[l].kind} ${this.layers[l].name} ${this.layers[l].type}`).join('\n')));
    row.addEventListener('click', () => this.choose(box));
    row.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.choose(box); });
    return row;
  }
}

for (const table of document.querySelectorAll('table.sortable')) makeSortable(table);
for (const input of document.querySelectorAll('input[data-table]')) makeFilter(input);
const data = document.getElementById('layers-data');
if (data) {
  const picture = new GraphPicture(document.getElementById('graph'), JSON.parse(data.textContent));
  document.getElementById('open-all').addEventListener('click', () => picture.openAll(true));
  document.getElementById('fold-all').addEventListener('click', () => picture.openAll(false));
}
