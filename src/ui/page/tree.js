// tree.js - a hierarchy and boundaries through it, without any drawing. A boundary is a set of
// nodes: a value may become its first boundary node, and nothing above. The root bounds what is
// under no other node.
// @ts-check

/**
 * @typedef {{id: number, parent: Node | null, children: Node[], rows: number, label: string,
 *   low: number, high: number, depth: number, start: number, index: number}} Node
 *   low and high: levels of the hierarchy file; start: rows to the left; index: in the tree's nodes
 * @typedef {{name: string, number: boolean, levels: (string | null)[], total: number,
 *   nodes: Node[], root: Node, byId: Map<number, Node>, depth: number, partial: boolean}} Tree
 * @typedef {{name: string, number: boolean, levels?: (string | null)[], total?: number,
 *   nodes?: [number, number, number, string, number, number][]}} TreeData
 */

/**
 * @param {TreeData} data of /api/trees
 * @returns {Tree | null} null: a number without a hierarchy
 */
export function makeTree(data) {
  if (data.number || !data.nodes || !data.nodes.length) return null;
  /** @type {Node[]} */
  const nodes = [];
  const byId = new Map();
  let depth = 0;
  for (const [id, parentIndex, rows, label, low, high] of data.nodes) {
    const parent = parentIndex < 0 ? null : nodes[parentIndex];
    /** @type {Node} */
    const node = {
      id, parent, children: [], rows, label, low, high,
      depth: parent ? parent.depth + 1 : 0, start: 0, index: nodes.length,
    };
    parent?.children.push(node);
    nodes.push(node);
    byId.set(id, node);
    depth = Math.max(depth, node.depth);
  }
  const root = nodes[0];
  place(root, 0);
  return {
    name: data.name, number: false, levels: data.levels ?? [], total: data.total ?? nodes.length,
    nodes, root, byId, depth, partial: nodes.length < (data.total ?? 0),
  };
}

/** @param {Node} node @param {number} start */
function place(node, start) {
  node.start = start;
  for (const child of node.children) {
    place(child, start);
    start += child.rows;
  }
}

/**
 * The boundary over a node: the first boundary node at or above it.
 * @param {Set<number>} cut @param {Node} node @returns {Node}
 */
export function boundaryOf(cut, node) {
  let up = node;
  while (up.parent && !cut.has(up.id)) up = up.parent;
  return up;
}

/** @param {Node} node @param {(node: Node) => void} visit */
function each(node, visit) {
  visit(node);
  for (const child of node.children) each(child, visit);
}

/** @param {Node} upper @param {Node} node is `upper` the node or above it? */
export function covers(upper, node) {
  /** @type {Node | null} */
  let up = node;
  while (up && up !== upper) up = up.parent;
  return up === upper;
}

/**
 * The nodes as which some value may be published: from one of its leaves up to the node there is
 * no boundary on the way.
 * @param {Tree} tree @param {Set<number>} cut @returns {Uint8Array} 1 or 0 for every node
 */
export function publishable(tree, cut) {
  const open = new Uint8Array(tree.nodes.length);
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    const node = tree.nodes[i]; // children come after their parents
    if (!node.children.length) open[i] = 1;
    if (open[i] && node.parent && !cut.has(node.id)) open[node.parent.index] = 1;
  }
  return open;
}

/** @param {Tree} tree @param {Set<number>} cut are all of these nodes drawn? */
export function isDrawn(tree, cut) {
  return !tree.partial || [...cut].every((id) => tree.byId.has(id));
}

/** @param {Set<number>} cut @param {Node} node does it lie below a node of the set? */
export function isBelow(cut, node) {
  let up = node.parent;
  while (up && !cut.has(up.id)) up = up.parent;
  return up !== null;
}

/**
 * The boundary after it was dragged to `target`. Upward it unites everything below the target;
 * downward the node that it lay on gives way to the target and the siblings on the path.
 * @param {Set<number>} cut @param {Node} target @returns {Set<number>}
 */
export function dragTo(cut, target) {
  const result = new Set(cut);
  const from = boundaryOf(cut, target);
  if (from === target || !covers(from, target)) {
    each(target, (node) => result.delete(node.id));
    result.add(target.id);
    return result;
  }
  if (hasBelow(cut, target)) {
    // the target lies above boundary nodes, and under a higher one: unite what is below
    each(target, (node) => result.delete(node.id));
    result.add(target.id);
    return result;
  }
  result.delete(from.id);
  for (let node = target; node !== from && node.parent; node = node.parent)
    for (const sibling of node.parent.children)
      if (sibling === target || (sibling !== node && !hasBelow(cut, sibling)))
        result.add(sibling.id);
  return result;
}

/**
 * Is there a boundary at or below the node?
 * @param {Set<number>} cut @param {Node} node @returns {boolean}
 */
function hasBelow(cut, node) {
  return cut.has(node.id) || node.children.some((child) => hasBelow(cut, child));
}

/**
 * The finest line, kept from passing the boundary: a node with boundary nodes below it gives way to
 * its children.
 * @param {Tree} tree @param {Set<number>} finest @param {Set<number>} boundary
 */
export function underBoundary(tree, finest, boundary) {
  const cut = new Set();
  /** @param {Node} node */
  const put = (node) => {
    if (node.children.some((child) => hasBelow(boundary, child))) node.children.forEach(put);
    else cut.add(node.id);
  };
  for (const id of finest) put(/** @type {Node} */ (tree.byId.get(id)));
  return cut;
}

/** @param {Tree} tree @param {number} level nodes of a level of the hierarchy file */
export function levelCut(tree, level) {
  const cut = new Set();
  for (const node of tree.nodes) if (node.low <= level && level <= node.high) cut.add(node.id);
  return cut;
}

/**
 * First boundary nodes above the leaves: the form in which two boundaries are compared.
 * @param {Tree} tree @param {Set<number>} cut
 */
export function plainCut(tree, cut) {
  const plain = new Set();
  for (const node of tree.nodes)
    if (!node.children.length) plain.add(boundaryOf(cut, node).id);
  return plain;
}

/** @param {Set<number>} a @param {Set<number>} b */
export function sameCut(a, b) {
  return a.size === b.size && [...a].every((id) => b.has(id));
}

/**
 * The level along which a boundary runs; null: it runs through nodes of several levels.
 * @param {Tree} tree @param {Set<number>} cut
 */
export function levelOf(tree, cut) {
  const plain = plainCut(tree, cut);
  for (let level = tree.levels.length - 1; level >= 0; level--)
    if (sameCut(plain, plainCut(tree, levelCut(tree, level)))) return level;
  return null;
}

/**
 * What the job says about a boundary: undefined if nothing need be said.
 * @param {Tree} tree @param {Set<number>} cut @param {"boundary" | "finest"} line
 */
export function jobValue(tree, cut, line) {
  const level = levelOf(tree, cut);
  if (level !== null) {
    if (line === "boundary" ? level === tree.levels.length - 1 : level === 0) return undefined;
    return { level: tree.levels[level] ?? level };
  }
  const nodes = [...plainCut(tree, cut)].map((id) => /** @type {Node} */ (tree.byId.get(id)));
  // a value that may be published as it is does not limit what is finest
  return nodes.filter((node) => line === "boundary" || node.low > 0).map((node) => node.label);
}
