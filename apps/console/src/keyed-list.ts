import { fill } from './dom.js';

interface Kept {
  node: HTMLElement;
  seen: string;
}

/**
 * Shows a list whose records change: a record that is the same keeps its element, and with it focus and selection. The element of a
 * record that changed is made anew; when the focus was in it, it goes to the element with the same `data-focus`. When the record with
 * the focus is gone, the focus goes to the list.
 */
export function keyedList<T>(
  parent: HTMLElement,
  { keyOf, make, empty }: { keyOf: (item: T) => string; make: (item: T) => HTMLElement; empty?: () => Node },
): (items: readonly T[]) => void {
  let kept = new Map<string, Kept>();
  return (items) => {
    const next = new Map<string, Kept>();
    for (const item of items) {
      const seen = JSON.stringify(item);
      const before = kept.get(keyOf(item));
      next.set(keyOf(item), before?.seen === seen ? before : { node: anew(before?.node, () => make(item)), seen });
    }
    kept = next;
    const hadFocus = parent.contains(document.activeElement);
    if (next.size === 0) fill(parent, empty?.());
    else arrange(parent, next);
    if (hadFocus && !parent.contains(document.activeElement)) takeFocus(parent);
  };
}

function anew(before: HTMLElement | undefined, make: () => HTMLElement): HTMLElement {
  const focused = document.activeElement;
  const name = before?.contains(focused) ? (focused?.getAttribute('data-focus') ?? '') : undefined;
  const node = make();
  before?.replaceWith(node);
  if (name !== undefined) node.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`)?.focus();
  return node;
}

/** Moves only nodes that are out of order. */
function arrange(parent: HTMLElement, kept: ReadonlyMap<string, Kept>): void {
  const nodes = [...kept.values()].map(({ node }) => node);
  const wanted = new Set<Node>(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, index) => {
    const there = parent.childNodes[index];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
}

function takeFocus(parent: HTMLElement): void {
  parent.tabIndex = -1;
  parent.focus({ preventScroll: true });
}
